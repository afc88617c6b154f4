// The header, and the controls that filter. Built once; `sync` makes them say what the state says.

function buildTop(model) {
  const run = model.run;
  const notices = [
    run.interrupted && el("p", { class: "notice warn" }, "Interrupted: this is what was seen until then."),
    ...run.baseline.map((line) => el("p", { class: "notice fail" }, visible(line))),
  ];
  return [
    el("div", { class: "heading" }, el("h1", {}, headline(model)), verdictOf(model)),
    sentencesOf(model),
    aboutRun(model),
    el("div", { class: "notices" }, notices),
  ];
}

function headline(model) {
  if (model.adapters.length !== 1) return "Tool-calling conformance";
  const [adapter] = model.adapters;
  return [visible(adapter.name), " ", el("small", {}, visible(adapter.version ?? ""))];
}

function verdictOf(model) {
  return el("span", { class: `verdict ${model.run.conforms ? "pass" : "fail"}` }, model.run.conclusion);
}

const KIND_OF = { fails: "fail", warns: "warn", oddity: "oddity", conforms: "pass", nothing: "none" };
const FEW = 4;

/** One sentence for each adapter and provider, and what to mend first. */
function sentencesOf(model) {
  const list = el("ul", { class: "sentences" }, model.sentences.map(({ standing, words }) =>
    el("li", { class: KIND_OF[standing] }, visible(words))));
  const first = model.first && el("p", { class: "mend" }, visible(model.first));
  if (model.sentences.length <= FEW) return el("div", {}, list, first);
  return el("details", { class: "about" }, el("summary", {}, `In ${model.sentences.length} sentences`), list, first);
}

function aboutRun(model) {
  const { run } = model;
  const day = run.started.slice(0, 16).replace("T", " ");
  return el("details", { class: "about" },
    el("summary", {}, el("span", {}, `${visible(day)} UTC · ${visible(run.effort)}`)),
    el("dl", {},
      el("dt", {}, "Adapters"), el("dd", {}, el("ul", {}, model.adapters.map(aboutAdapter))),
      el("dt", {}, "Suite"), el("dd", {}, visible(run.suite)),
      el("dt", {}, "Command"), el("dd", {}, command(visible(run.command)))));
}

function aboutAdapter(adapter) {
  const facts = [adapter.kind, adapter.language].filter(Boolean).map(visible).join(", ");
  return el("li", {}, el("b", {}, visible(adapter.name)), ` ${visible(adapter.version ?? "")} (${facts})`,
    adapter.homepage && [" ", link(adapter.homepage, "homepage")],
    adapter.issues && [" ", link(adapter.issues, "issues")]);
}

// --- controls -------------------------------------------------------------------------------------------------------

/** The controls' elements, and a `sync` that brings them up to date. `go` takes changes of the state. */
function buildBar(model, go) {
  const controls = [
    tabs(model, go), adapterChoice(model, go), search(go),
    choice("stage", "Any stage", model.stages, go), choice("level", "Any level", ["must", "should", "may"], go),
    providerMenu(model, go), stagesToggle(model, go), clearButton(go), outcomeChips(model, go),
  ];
  return {
    elements: controls.map((control) => control.element),
    sync: (state, cells) => controls.forEach((control) => control.sync(state, cells)),
  };
}

function tabs(model, go) {
  const views = [["overview", "Overview"], ["rules", "Rules"], ...(model.causes.length ? [["causes", "Causes"]] : [])];
  const buttons = views.map(([view, words]) =>
    button("tab", () => go({ view, on: "", rule: "" }, true), { value: view }, words));
  return {
    element: el("div", { class: "tabs", role: "group", "aria-label": "View" }, buttons),
    sync: (state) => buttons.forEach((tab) => press(tab, tab.value === viewOf(model, state))),
  };
}

function adapterChoice(model, go) {
  const names = model.adapters.map((adapter) => adapter.id);
  const change = () => go({ adapter: select.value, on: "", rule: "" }, true);
  const options = names.map((name) => el("option", { value: name }, visible(name)));
  const select = el("select", { "aria-label": "Adapter", on: { change } }, options);
  return {
    element: select,
    sync: (state) => {
      select.value = names[adapterOf(model, state)] ?? "";
      select.hidden = names.length < 2 || viewOf(model, state) !== "rules";
    },
  };
}

function stagesToggle(model, go) {
  let by = "";
  const toggle = button("quiet", () => go({ by: by ? "" : "stage" }), {}, "By stage");
  const sync = (state) => {
    by = state.by;
    press(toggle, by === "stage");
    toggle.hidden = model.adapters.length < 2 || viewOf(model, state) !== "overview";
  };
  return { element: toggle, sync };
}

function search(go) {
  let waiting;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => go({ q: input.value.trim() }), 100);
  };
  const input = el("input", {
    type: "search", placeholder: "Search rules", "aria-label": "Search rules by id and statement", on: { input: later },
  });
  const sync = (state) => { if (input.value.trim() !== state.q) input.value = state.q; };
  return { element: input, sync };
}

function choice(name, any, values, go) {
  const select = el("select", { name, "aria-label": name, on: { change: () => go({ [name]: select.value }) } },
    el("option", { value: "" }, any), values.map((value) => el("option", { value }, visible(value))));
  return { element: select, sync: (state) => { select.value = state[name]; } };
}

function providerMenu(model, go) {
  const change = () => go({ provider: ticked() });
  const boxes = model.providers.map((name) => el("input", { type: "checkbox", value: name, on: { change } }));
  const ticked = () => {
    const names = boxes.filter((box) => box.checked).map((box) => box.value);
    return names.length === boxes.length ? [] : names;
  };
  const words = el("summary", {});
  const labels = boxes.map((box) => el("label", {}, box, visible(box.value)));
  const menu = el("details", { class: "menu", hidden: boxes.length < 2 }, words, el("div", { class: "sheet" }, labels));
  closeElsewhere(menu);
  const sync = (state) => {
    for (const box of boxes) box.checked = !state.provider.length || state.provider.includes(box.value);
    const some = `${state.provider.length} of ${boxes.length} providers`;
    words.textContent = state.provider.length ? some : "All providers";
  };
  return { element: menu, sync };
}

/** A menu closes when something else is clicked, or with Esc. */
function closeElsewhere(menu) {
  document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.firstChild.focus();
  });
}

function clearButton(go) {
  const none = { q: "", stage: "", level: "", outcome: [], provider: [] };
  const clear = button("quiet", () => go(none), {}, "Clear filters");
  const sync = (state) => { clear.hidden = !Object.keys(none).some((name) => state[name].length); };
  return { element: clear, sync };
}

// --- outcomes: the legend, which also filters -----------------------------------------------------------------------

function outcomeChips(model, go) {
  const element = el("div", { class: "chips", role: "group", "aria-label": "Outcomes" });
  const sync = (state, cells) => {
    const counts = countsOf(model, cells);
    const focused = element.contains(document.activeElement) ? document.activeElement.value : null;
    const chips = model.outcomes.map((outcome, number) => outcomeChip(model, outcome, counts[number], state, go));
    element.replaceChildren(attentionChip(model, state, cells, go), ...chips.filter(Boolean));
    if (focused) element.querySelector(`[value="${CSS.escape(focused)}"]`)?.focus();
  };
  return { element, sync };
}

function countsOf(model, cells) {
  const counts = model.outcomes.map(() => 0);
  for (const cell of cells) counts[cell.shown] += 1;
  return counts;
}

function outcomeChip(model, outcome, count, state, go) {
  const pressed = state.outcome.includes(outcome.id);
  if (!count && !pressed) return null;
  const others = state.outcome.filter((id) => id !== outcome.id);
  const click = () => go(pressed ? { outcome: others } : showingOutcomes(model, state, [...others, outcome.id]));
  const words = [glyphOf(outcome), ` ${outcome.words} `, el("b", {}, String(count))];
  return press(button("chip", click, { value: outcome.id, title: outcome.explained }, words), pressed);
}

function attentionChip(model, state, cells, go) {
  const wanted = troubling(model);
  const pressed = wanted.length === state.outcome.length && wanted.every((id) => state.outcome.includes(id));
  const any = cells.some((cell) => wanted.includes(model.outcomes[cell.shown].id));
  const click = () => go(pressed ? { outcome: [] } : showingOutcomes(model, state, wanted));
  const chip = button("chip strong", click, { value: "attention", hidden: !any && !pressed }, "Needs attention");
  return press(chip, pressed);
}

function press(element, pressed) {
  element.setAttribute("aria-pressed", String(pressed));
  return element;
}
