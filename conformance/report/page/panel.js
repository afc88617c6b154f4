// The panel: everything about one cell.

const WIDE = matchMedia("(min-width: 68rem)");

/**
 * Shows a cell. Where there is room it stands beside the matrix, else above everything. The focus goes to its title, or
 * stays with the button that stepped to it.
 */
function openPanel(model, state, cell, panel, go) {
  const stepped = panel.contains(document.activeElement) ? document.activeElement.value : "";
  panel.replaceChildren(...panelContent(model, state, cell, go));
  panel.scrollTop = 0;
  if (!panel.open && WIDE.matches) panel.show();
  if (!panel.open) panel.showModal();
  const again = stepped && panel.querySelector(`button[value="${stepped}"]:enabled`);
  (again || panel.querySelector("#panel-title")).focus({ preventScroll: true });
}

function panelContent(model, state, cell, go) {
  const rule = model.rules[cell.rule];
  const failed = cell.failed ?? [];
  const scenarios = model.sets[cell.scenarios];
  return [
    panelHead(model, state, cell, go),
    el("div", { class: "about-rule" },
      el("p", { class: "statement" }, visible(rule.statement)),
      notes(model, cell).map((note) => el("p", { class: "notice" }, note)),
      (cell.judged ?? []).map(judgement),
      ruleFacts(model, cell, rule)),
    failuresView(model, cell),
    namesView(`All ${plural(failed.length, "case")} that did not pass`, failed, model),
    namesView(`${plural(scenarios.length, "scenario")} that exercised it`, scenarios, model),
  ].flat().filter(Boolean);
}

function panelHead(model, state, cell, go) {
  const outcome = model.outcomes[cell.shown];
  const [adapter, provider] = [model.adapters[cell.adapter].name, model.providers[cell.provider]].map(visible);
  return el("header", {},
    el("div", { class: "buttons" },
      steps(model, state, cell, go), button("quiet close", () => go({ on: "", rule: "" }), {}, "Close")),
    el("p", { class: `outcome ${outcome.kind}` },
      glyphOf(outcome), ` ${outcome.words}`, el("span", { class: "place" }, ` ${adapter} on ${provider}`)),
    el("h2", { id: "panel-title", tabindex: "-1" }, visible(model.rules[cell.rule].id)));
}

/** Buttons to the cells before and after this one, among those that the filters are about. */
function steps(model, state, cell, go) {
  const wanted = state.outcome.length ? state.outcome : troubling(model);
  const cells = shownCells(model, state).filter((item) => wanted.includes(model.outcomes[item.shown].id));
  const place = cells.indexOf(cell);
  if (place < 0 || cells.length < 2) return null;
  const step = (words, next) =>
    button("quiet", () => go(opening(model, next)), { value: words, disabled: !next }, words);
  const count = el("span", { class: "hint" }, `${place + 1} of ${cells.length}`);
  return [step("Previous", cells[place - 1]), count, step("Next", cells[place + 1])];
}

/** The change of state that opens a cell. */
function opening(model, cell) {
  return { on: model.providers[cell.provider], rule: model.rules[cell.rule].id };
}

/** What the outcome alone does not say: what the baseline expects, and why nothing was judged. */
function notes(model, cell) {
  const flags = {
    expected_fail: `The baseline expects this: ${model.outcomes[cell.outcome].words}.`,
    oddity: "Only hosts that deviate from the provider make this show; the provider itself does not do it.",
    limit: "Somebody read all its failures, and none is a fault: it has no place for this, or decided so.",
    buffered: "Nothing is told before the whole stream was taken.",
    unexpected_pass: "The baseline expects a failure here, and nothing failed: its entry can go.",
  };
  const why = cell.why && `${capital(wordsOf(model, cell))}: ${visible(cell.why)}.`;
  return [flags[model.outcomes[cell.shown].id], why].filter(Boolean);
}

/** What somebody found who read the failures. */
function judgement({ title, judgement: whose, consequence, why, issues = [] }) {
  return el("div", { class: "notice judged" },
    el("p", {}, el("strong", {}, coded(title)), ` (${consequence}, ${whose})`), el("p", {}, coded(why)),
    ...issues.map(({ url, state, date }) => el("p", {}, linked(visible(url)), ` (${state}, ${date})`)));
}

const LEVELS = {
  must: "must: breaking it is a failure", should: "should: breaking it is a warning",
  may: "may: it is about an optional capability",
};
const CONSEQUENCES = {
  rejected: "rejected: the provider refuses the request",
  presumed: "presumed: the provider probably refuses the request; no record says either", lost: "lost: data or its correlation is lost",
  degraded: "degraded: it works, but less well",
};
const SIDES = { build: "the request that the adapter builds", parse: "the turn that the adapter understands" };

function ruleFacts(model, cell, rule) {
  const cases = casesOf(model, cell);
  const facts = [
    ["Cases", cases.length ? cases.map(({ count, words }) => `${count} ${words}`).join(", ") : "none"],
    ["Level", LEVELS[rule.level]], ["Consequence", CONSEQUENCES[cell.consequence ?? rule.consequence]],
    ["Judges", SIDES[rule.side]], ["Stage", visible(rule.stage)],
    ["Source", rule.source.map((text) => el("span", { class: "source" }, linked(visible(text))))],
  ];
  const known = facts.filter(([, value]) => value?.length);
  return el("dl", {}, known.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function failuresView(model, cell) {
  const failures = cell.failures ?? [];
  if (!failures.length) return [];
  const cases = cell.failed?.length ?? 0;
  const kept = new Set(failures.map((failure) => failure.case)).size;
  const all = plural(failures.length, "failure");
  const heading = kept < cases ? `Failures of the first ${kept} of ${plural(cases, "case")}` : all;
  const views = failures.map((failure, number) => failureView(model, failure, number === 0));
  return [el("h3", {}, heading), ...views];
}

function namesView(heading, numbers, model) {
  if (!numbers.length) return null;
  return el("details", { class: "names" }, el("summary", {}, heading),
    el("ul", {}, numbers.map((number) => el("li", {}, visible(model.names[number])))));
}

/** On paper there is nothing for a modal panel to stand above: it comes after the matrix. */
function unstackPanel(panel) {
  if (!panel.matches(":modal")) return;
  panel.close();
  panel.show();
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
