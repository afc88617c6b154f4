// Two libraries, or two versions of one, cell by cell: what is worse, what is better, and what only one of them has.

const compareHash = (one, other) => hashOf("compare", [one.id, other.id]);

async function compareView(model, { parts: [first, second] }) {
  const [one, other] = chosenPair(model, first, second);
  const words = await wordedRules(model);
  const choice = (label, adapter, change) => {
    const select = el("select", { "aria-label": label, on: { change: () => { location.hash = change(model.adapters[select.value]); } } },
      model.adapters.map((each) => el("option", { value: each.number }, visible(each.title))));
    select.value = adapter.number;
    return select;
  };
  const changes = await changesOf(model, one, other, words);
  return { title: `${one.title} beside ${other.title}`, nodes: [
    el("p", { class: "filters" }, choice("Before", one, (next) => compareHash(next, other)), " → ",
      choice("After", other, (next) => compareHash(one, next)),
      inward("quiet", compareHash(other, one), "Turn around")),
    el("p", { class: "best" }, changeWords(changes)),
    legend(model),
    Object.entries(CHANGES).map(([kind, head]) => changesTable(model, one, other, changes.found.filter((change) => change.kind === kind), kind, head)),
    alone(model, one, other),
  ] };
}

/** The two that the address names; else two versions of one library, else the first two. */
function chosenPair(model, first, second) {
  const named = [first, second].map((id) => model.adapters.find((adapter) => adapter.id === id));
  const usual = model.adapters.find((adapter) => siblingsOf(model, adapter).length) ?? model.adapters[0];
  const one = named[0] ?? usual;
  return [one, named[1] ?? siblingsOf(model, one)[0] ?? model.adapters.find((adapter) => adapter !== one) ?? one];
}

const CHANGES = { worse: "Worse", better: "Better", unseen: "No longer exercised", seen: "Newly exercised" };
const RANK = { pass: 0, warn: 1, unexpected_pass: 0 };

/** How bad an outcome is; null when nothing was judged. What is shown otherwise counts as its kind. */
function badness(outcome) {
  if (!outcome || outcome.kind === "none") return null;
  return RANK[outcome.id] ?? { pass: 0, warn: 1, oddity: 1, expected: 2, fail: 2 }[outcome.kind];
}

async function changesOf(model, one, other, words) {
  const [before, after] = await Promise.all([detailsOf(model, one), detailsOf(model, other)]);
  const found = [];
  let compared = 0;
  for (const column of one.columns) {
    const second = other.columns.find((each) => each.provider === column.provider);
    for (const rule of second ? words : []) {
      const cells = [cellOf(model, before, column, rule), cellOf(model, after, second, rule)];
      if (!cells[0] || !cells[1]) continue;
      if (cells.every((cell) => badness(cell.outcome) !== null)) compared += 1;
      const change = changeOf(...cells);
      if (change) found.push({ ...change, cells, rule, provider: column.provider });
    }
  }
  return { found, compared };
}

/** What became of a cell, or null: its outcome first, then the cases that fail in it. */
function changeOf(before, after) {
  const [old, now] = [badness(before.outcome), badness(after.outcome)];
  const failing = after.failed.filter((name) => !before.failed.includes(name));
  const passing = before.failed.filter((name) => !after.failed.includes(name));
  const told = (kind) => ({ kind, failing, passing });
  if (now === null) return old === null ? null : told("unseen");
  if (old === null) return told(now ? "worse" : "seen");
  if (now !== old) return told(now > old ? "worse" : "better");
  if (failing.length) return told("worse");
  return passing.length ? told("better") : null;
}

function changeWords({ found, compared }) {
  if (!compared) return "No cell was judged in both.";
  const count = (kind) => found.filter((change) => change.kind === kind).length;
  return `${plural(count("worse"), "cell")} worse, ${count("better")} better, of ${compared.toLocaleString("en")} that were judged in both.`;
}

function changesTable(model, one, other, changes, kind, heading) {
  if (!changes.length) return null;
  const head = el("tr", {}, el("th", { scope: "col", class: "first" }, "Rule"),
    [one, other].map((adapter) => el("th", { scope: "col" }, visible(adapter.title))));
  const box = tableBox("matrix", heading, 2, head);
  const body = el("tbody", {});
  box.firstChild.append(body);
  inSteps(box, changes.map((change) => () => body.append(el("tr", {},
    el("th", { scope: "row" }, inward("id", ruleHash(change.rule), breakable(change.rule.id)),
      el("span", { class: "weight" }, visible(model.providers[change.provider])), caseChanges(change)),
    change.cells.map((cell) => el("td", {}, cellLink(model, cell.column, change.rule)))))));
  return [el("h2", { class: kind }, `${heading} (${changes.length})`), box];
}

const FEW_CASES = 3;

function caseChanges({ failing, passing }) {
  const told = (words, names) => names.length > 0 && el("span", { class: "statement" },
    `${words}: ${names.slice(0, FEW_CASES).map(visible).join(", ")}${names.length > FEW_CASES ? ` and ${names.length - FEW_CASES} more` : ""}`);
  return [told("fails now", failing), told("passes now", passing)];
}

/** Providers that only one of them has. */
function alone(model, one, other) {
  const missing = (from, to) => from.columns.filter((column) => !to.columns.some((each) => each.provider === column.provider));
  return [[one, other], [other, one]].map(([from, to]) => {
    const names = missing(from, to).map((column) => visible(model.providers[column.provider]));
    return names.length > 0 && el("p", {}, `Only ${visible(from.title)} was asked about ${names.join(", ")}.`);
  });
}
