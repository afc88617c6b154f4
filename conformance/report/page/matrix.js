// The matrix of one library: rules × providers, by stage, with filters.

function matrixView(model, adapter, words, params, remembering) {
  const state = stateOf(model, adapter, params);
  const box = el("div", {});
  const columns = () => adapter.columns.filter((column) => !state.on.length || state.on.includes(model.providers[column.provider]));
  const left = () => model.rules.filter((rule) => ruleMatches(words[rule.number], state)
    && columns().some((column) => outcomeAt(model, column, rule.number)));
  const draw = () => {
    filters.sync(left(), columns());
    box.replaceChildren(matrixTable(model, columns(), left(), state));
  };
  const filters = filterBar(model, adapter, state, () => {
    remembering(state);
    draw();
  });
  draw();
  return [filters.element, box];
}

/** What the address asks for, as far as there is such a thing. */
function stateOf(model, adapter, params) {
  const known = (name, values) => params.getAll(name).filter((value) => values.includes(value));
  return {
    q: params.get("q") ?? "", stage: known("stage", topics(model))[0] ?? "", level: known("level", LEVELS)[0] ?? "",
    on: known("on", adapter.columns.map((column) => model.providers[column.provider])),
    outcome: known("outcome", model.outcomes.map(({ id }) => id)),
  };
}

/** What rules may be chosen by: their stages, and what else some are about. */
function topics(model) {
  return [...model.stages, ...Object.keys(model.about)];
}

function ruleMatches(rule, { stage, level, q }) {
  if (stage && rule.stage !== stage && !rule.about.includes(stage)) return false;
  if (level && rule.level !== level) return false;
  const text = `${rule.id} ${rule.statement}`.toLowerCase();
  return q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function matrixTable(model, columns, rules, state) {
  const wanted = (outcome) => !state.outcome.length || state.outcome.includes(outcome?.id);
  const rows = rules.filter((rule) => columns.some((column) => wanted(outcomeAt(model, column, rule.number)) && outcomeAt(model, column, rule.number)));
  if (!rows.length) return el("p", { class: "nothing" }, "Nothing matches these filters.");
  const count = rows.length < rules.length ? `${rows.length} of ${plural(rules.length, "rule")}` : plural(rows.length, "rule");
  const head = el("tr", {}, el("th", { scope: "col", class: "first" }, count), columns.map((column) => {
    const tally = tallyOf(model, rules.map((rule) => outcomeAt(model, column, rule.number)).filter(Boolean));
    return el("th", { scope: "col" },
      inward("provider", providerHash(model.providers[column.provider]), breakable(model.providers[column.provider])),
      el("span", { class: `tally ${tally.judged ? tally.worst.kind : "none"}` }, tallyText(tally)));
  }));
  const box = tableBox("matrix", "Rules by provider", columns.length, head);
  inSteps(box, [...aboutRows(model, box.firstChild, rows, columns), ...rowMakers(model, box.firstChild, rows, columns, wanted)]);
  return box;
}

/** A function for each row, which adds it: what some rules are about, whatever their stage, with how many of them pass. */
function aboutRows(model, table, rules, columns) {
  return Object.keys(model.about).flatMap((name) => {
    const own = rules.filter((rule) => rule.about.includes(name));
    if (!own.length) return [];
    return [() => table.append(el("tbody", {}, el("tr", { class: "about" },
      el("th", { scope: "row" }, el("span", { class: "id" }, visible(name)), el("span", { class: "weight" }, plural(own.length, "rule"))),
      columns.map((column) => {
        const tally = tallyOf(model, own.map((rule) => outcomeAt(model, column, rule.number)).filter(Boolean));
        return el("td", {}, el("span", { class: `tally ${tally.judged ? tally.worst.kind : "none"}` }, tallyText(tally)));
      }))))];
  });
}

/** A function for each row, which adds it: rules by stage. */
function rowMakers(model, table, rules, columns, wanted) {
  return model.stages.flatMap((stage) => {
    const own = rules.filter((rule) => rule.stage === stage);
    if (!own.length) return [];
    const body = el("tbody", {}, el("tr", { class: "stage" },
      el("th", { scope: "rowgroup" }, visible(stage)),
      columns.map((column) => el("td", { class: "hint", "aria-hidden": "true" }, visible(model.providers[column.provider])))));
    return own.map((rule, number) => () => {
      if (!number) table.append(body);
      body.append(el("tr", {}, ruleHead(rule), columns.map((column) =>
        el("td", {}, cellLink(model, column, rule, !wanted(outcomeAt(model, column, rule.number)))))));
    });
  });
}

function ruleHead(rule) {
  return el("th", { scope: "row" },
    inward("id", ruleHash(rule), breakable(rule.id)),
    el("span", { class: "weight" }, el("span", { class: `level ${rule.level}` }, rule.level), ` ${rule.consequence}`));
}

// --- filters --------------------------------------------------------------------------------------------------------

/** Controls that change `state`; `sync` makes the chips count what the other filters leave. */
function filterBar(model, adapter, state, changed) {
  let later;
  const typed = () => {
    clearTimeout(later);
    later = setTimeout(() => { state.q = text.value.trim(); changed(); }, 100);
  };
  const text = el("input", { type: "search", value: state.q, placeholder: "Filter rules", "aria-label": "Filter rules", on: { input: typed } });
  const choice = (name, any, values) => {
    const change = () => { state[name] = select.value; changed(); };
    const select = el("select", { name, "aria-label": capital(name), on: { change } },
      el("option", { value: "" }, any), values.map((value) => el("option", { value }, visible(value))));
    select.value = state[name];
    return select;
  };
  const toggled = (name, value) => {
    state[name] = state[name].includes(value) ? state[name].filter((other) => other !== value) : [...state[name], value];
    changed();
  };
  const providers = adapter.columns.length < 2 ? [] : adapter.columns.map((column) => model.providers[column.provider]).map((name) =>
    button("chip", () => toggled("on", name), { value: name }, visible(name)));
  const outcomes = el("div", { class: "chips", role: "group", "aria-label": "Outcomes" });
  const sync = (rules, columns) => {
    for (const chip of providers) press(chip, state.on.includes(chip.value));
    const cells = columns.flatMap((column) => rules.map((rule) => outcomeAt(model, column, rule.number)).filter(Boolean));
    const focused = outcomes.contains(document.activeElement) ? document.activeElement.value : null;
    outcomes.replaceChildren(...outcomeChips(model, state, cells, toggled, (ids) => { state.outcome = ids; changed(); }));
    if (focused) outcomes.querySelector(`[value="${CSS.escape(focused)}"]`)?.focus();
  };
  const element = el("div", { class: "filters" }, text, choice("stage", "Any stage", topics(model)), choice("level", "Any level", LEVELS),
    el("div", { class: "chips", role: "group", "aria-label": "Providers" }, providers), outcomes);
  return { element, sync };
}

/** A chip for each way that cells are shown; a filter that is on stays, whatever it leaves. */
function outcomeChips(model, state, cells, toggled, set) {
  const counts = model.outcomes.map((outcome) => cells.filter((cell) => cell === outcome).length);
  const troubling = model.outcomes.filter(({ kind }, number) => ["fail", "warn"].includes(kind) && counts[number]).map(({ id }) => id);
  const lit = troubling.length > 0 && troubling.length === state.outcome.length && troubling.every((id) => state.outcome.includes(id));
  const attention = troubling.length > 0 && press(button("chip strong", () => set(lit ? [] : troubling), { value: "attention" }, "Needs attention"), lit);
  const chips = model.outcomes.map((outcome, number) => {
    const pressed = state.outcome.includes(outcome.id);
    if (!counts[number] && !pressed) return null;
    return press(button("chip", () => toggled("outcome", outcome.id), { value: outcome.id, title: outcome.explained },
      glyphOf(outcome), ` ${outcome.words} `, el("b", {}, String(counts[number]))), pressed);
  });
  return [attention, ...chips].filter(Boolean);
}
