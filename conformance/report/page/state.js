// What is shown. All of it is in the URL's hash, by name, so that a view can be linked.

const LISTS = ["outcome", "provider"];
const WORDS = ["view", "by", "adapter", "q", "stage", "level", "on", "rule"];

/** The view that the hash asks for. What names nothing in this result is left out. */
function readState(model) {
  const hash = new URLSearchParams(location.hash.slice(1));
  const state = {};
  for (const name of WORDS) state[name] = hash.get(name) ?? "";
  for (const name of LISTS) state[name] = hash.getAll(name);
  return sensible(model, state);
}

function sensible(model, state) {
  const known = {
    view: ["rules", "overview", "causes"],
    by: ["stage"],
    adapter: model.adapters.map((adapter) => adapter.id),
    stage: model.stages,
    level: ["must", "should", "may"],
    outcome: model.outcomes.map((outcome) => outcome.id),
    provider: model.providers,
    on: model.providers,
    rule: model.rules.map((rule) => rule.id),
  };
  const result = { ...state };
  for (const [name, values] of Object.entries(known)) {
    if (LISTS.includes(name)) result[name] = state[name].filter((value) => values.includes(value));
    else if (!values.includes(state[name])) result[name] = "";
  }
  return result;
}

/** The hash that `readState` reads back. */
function hashOf(state) {
  const hash = new URLSearchParams();
  for (const name of WORDS) if (state[name]) hash.set(name, state[name]);
  for (const name of LISTS) for (const value of state[name]) hash.append(name, value);
  return "#" + hash;
}

function viewOf(model, state) {
  return state.view || (model.adapters.length > 1 ? "overview" : "rules");
}

/** Whether the overview has a row for each stage: always when there is room because there is one adapter. */
function byStageOf(model, state) {
  return state.by === "stage" || model.adapters.length === 1;
}

function adapterOf(model, state) {
  return Math.max(0, model.adapters.findIndex((adapter) => adapter.id === state.adapter));
}

/** The cell that is open, if one is. */
function openCell(model, state) {
  if (!state.on || !state.rule || viewOf(model, state) !== "rules") return undefined;
  const rule = model.rules.findIndex((item) => item.id === state.rule);
  return cellAt(model, adapterOf(model, state), model.providers.indexOf(state.on), rule);
}

/** Of these providers, those that the filter lets through. */
function shownProviders(model, state, providers) {
  return providers.filter((provider) => !state.provider.length || state.provider.includes(model.providers[provider]));
}

/** The numbers of the rules that the filters on rules let through. */
function shownRules(model, state) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  return model.rules.flatMap((rule, number) => (ruleMatches(rule, state, words) ? [number] : []));
}

function ruleMatches(rule, state, words) {
  if (state.stage && rule.stage !== state.stage) return false;
  if (state.level && rule.level !== state.level) return false;
  const text = `${rule.id} ${rule.statement}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function outcomeMatches(model, state, cell) {
  return !state.outcome.length || state.outcome.includes(model.outcomes[cell.shown].id);
}

/** The change of state that shows these outcomes: of an adapter that has some, if the one that is shown has none. */
function showingOutcomes(model, state, outcomes) {
  const cells = model.cells.filter((cell) => outcomes.includes(model.outcomes[cell.shown].id));
  const adapters = new Set(cells.map((cell) => cell.adapter));
  const shown = adapterOf(model, state);
  const adapter = adapters.has(shown) ? shown : Math.min(...adapters);
  return { view: "rules", adapter: model.adapters[adapter]?.id ?? "", outcome: outcomes };
}

/** The outcomes that somebody should look at, of those that there are. */
function troubling(model) {
  const present = new Set(model.cells.map((cell) => cell.shown));
  const found = model.outcomes.filter(({ kind }, number) => ["fail", "warn"].includes(kind) && present.has(number));
  return found.map((outcome) => outcome.id);
}
