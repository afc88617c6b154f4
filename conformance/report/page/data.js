// The result: what `conformance.report.packing` packed, with its numbers as lookups.

function embedded(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

/** The result, ready to be asked. Adapters, providers, rules and outcomes are known by their numbers. */
function loadModel() {
  const raw = embedded("data");
  const model = { ...raw, cells: raw.cells.map(cellOf), byPlace: new Map() };
  for (const cell of model.cells) model.byPlace.set(placeOf(model, cell.adapter, cell.provider, cell.rule), cell);
  model.columns = raw.adapters.map((_, adapter) => columnsOf(model.cells, adapter));
  model.stages = [...new Set(raw.rules.map((rule) => rule.stage))];
  return model;
}

function cellOf([adapter, provider, rule, outcome, shown, counts, scenarios, details]) {
  return { adapter, provider, rule, outcome, shown, counts, scenarios, ...details };
}

function placeOf(model, adapter, provider, rule) {
  return (adapter * model.providers.length + provider) * model.rules.length + rule;
}

/** The cell of an adapter, provider and rule, if there is one: not every rule is about every provider. */
function cellAt(model, adapter, provider, rule) {
  return model.byPlace.get(placeOf(model, adapter, provider, rule));
}

/** The providers that an adapter has cells for. */
function columnsOf(cells, adapter) {
  return [...new Set(cells.filter((cell) => cell.adapter === adapter).map((cell) => cell.provider))];
}

/** How a cell counts: pass, warn, fail, oddity, expected or none. */
function kindOf(model, cell) {
  return model.outcomes[cell.shown].kind;
}

/** What a cell says, in words. */
function wordsOf(model, cell) {
  return model.outcomes[cell.shown].words;
}

/** The cases of a cell by outcome: [{words, glyph, count}]. */
function casesOf(model, cell) {
  const cases = [];
  for (let place = 0; place < cell.counts.length; place += 2) {
    cases.push({ ...model.outcomes[cell.counts[place]], count: cell.counts[place + 1] });
  }
  return cases;
}

/** The cells of a group counted: how many were judged, how many pass, how many of each kind, and the worst. */
function tallyOf(model, cells) {
  const kinds = { pass: 0, warn: 0, fail: 0, oddity: 0, expected: 0, none: 0 };
  let passed = 0;
  let worst = model.outcomes.length - 1;
  for (const cell of cells) {
    kinds[kindOf(model, cell)] += 1;
    if (model.outcomes[cell.outcome].id === "pass") passed += 1;
    worst = Math.min(worst, cell.shown);
  }
  return { kinds, passed, judged: cells.length - kinds.none, worst: model.outcomes[worst] };
}

/** "10/12", or the glyph that says why nothing was judged. */
function tallyText(tally) {
  return tally.judged ? `${tally.passed}/${tally.judged}` : tally.worst.glyph;
}

let loadedEvidence = null;

/** A piece of evidence. The evidence is large, so it is read only when some is asked for. */
function evidenceOf(id) {
  loadedEvidence ??= new Map(Object.entries(embedded("evidence")));
  return loadedEvidence.get(id);
}
