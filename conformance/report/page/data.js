// The result: what `conformance.report.packing` packed, with its numbers as lookups.

const LEVELS = ["must", "should", "may"];
const ABSENT = "-";

/** What the first view needs, ready to be asked. */
function loadModel() {
  const raw = JSON.parse(document.getElementById("core").textContent);
  const harms = Object.keys(raw.consequences);
  const rules = raw.rules.map(([id, level, harm, stage], number) =>
    ({ number, id, level: LEVELS[level], consequence: harms[harm], stage: raw.stages[stage],
      about: Object.keys(raw.about).filter((name) => raw.about[name].includes(number)) }));
  const columns = raw.columns.map(([adapter, provider, letters, able, tried, faults, standing, told], number) =>
    ({ number, adapter, provider, letters, able, tried, faults: faults.map(faultOf), standing, told }));
  const adapters = raw.adapters.map((adapter, number) => ({ ...adapter, number,
    title: adapter.version ? `${adapter.name} ${adapter.version}` : adapter.name,
    columns: columns.filter((column) => column.adapter === number) }));
  return { ...raw, harms, rules, columns, adapters };
}

function faultOf([rule, outcome, harm, whole, streamed]) {
  return { rule, outcome, harm, whole, streamed };
}

/** How the cell of a column and a rule is shown, or null: not every rule is about every provider. */
function outcomeAt(model, column, rule) {
  const letter = column.letters[rule];
  return letter === ABSENT ? null : model.outcomes[letter.charCodeAt(0) - 97];
}

function columnOf(model, adapter, provider) {
  return model.columns.find((column) => column.adapter === adapter && column.provider === provider);
}

/** Outcomes counted: how many were judged, how many pass, how many of each kind, and the worst. */
function tallyOf(model, outcomes) {
  const kinds = { pass: 0, warn: 0, fail: 0, oddity: 0, expected: 0, none: 0 };
  let passed = 0;
  let worst = model.outcomes.length - 1;
  for (const outcome of outcomes) {
    kinds[outcome.kind] += 1;
    if (outcome.id === "pass" || outcome.id === "unexpected_pass") passed += 1;
    worst = Math.min(worst, model.outcomes.indexOf(outcome));
  }
  return { kinds, passed, judged: outcomes.length - kinds.none, worst: model.outcomes[worst] };
}

/** "10/12", or the glyph that says why nothing was judged. */
function tallyText(tally) {
  return tally.judged ? `${tally.passed}/${tally.judged}` : tally.worst.glyph;
}

// --- pieces: what only some views need is read when the first of them does ------------------------------------------

const pieces = new Map();
const waiting = new Map();

/** A piece by name. It is an error when the folder or the page does not hold it. */
function piece(name) {
  if (!pieces.has(name)) {
    const reading = document.body.dataset.where === "folder" ? fromFolder(name) : fromPage(name);
    pieces.set(name, reading);
    reading.catch(() => pieces.delete(name));
  }
  return pieces.get(name);
}

/** Pieces come last in the page: whoever asks early waits for its end. */
async function fromPage(name) {
  if (document.readyState === "loading") {
    await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
  }
  const element = document.getElementById(`chunk-${name}`);
  if (!element) throw new Error(`This page is not complete: ${name} is not in it.`);
  return JSON.parse(element.textContent);
}

/**
 * A script from beside the page hands its text over: a page from disk may load nothing else. The stamp keeps caches from
 * giving a piece of another result.
 */
function fromFolder(name) {
  return new Promise((resolve, reject) => {
    const error = () => reject(new Error(`data/${name}.js cannot be read: the folder is not complete.`));
    waiting.set(name, resolve);
    document.head.append(el("script", { src: `data/${name}.js?${document.body.dataset.stamp}`, on: { error } }));
  });
}

globalThis.conformancePiece = (name, text) => waiting.get(name)?.(JSON.parse(text));

/** The rules with their words. */
async function wordedRules(model) {
  const words = await piece("rules");
  return model.rules.map((rule, number) => ({ ...rule, ...words[number] }));
}

/** Everything about an adapter's cells: by column and rule, with findings and causes. */
async function detailsOf(model, adapter) {
  const raw = await piece(`a${adapter.number}`);
  raw.byPlace ??= new Map(raw.cells.map((cell) => [placeOf(model, cell[0], cell[1]), cell]));
  return raw;
}

function placeOf(model, column, rule) {
  return column * model.rules.length + rule;
}

/** One cell in all its details, or undefined. */
function cellOf(model, details, column, rule) {
  const found = details.byPlace.get(placeOf(model, column.number, rule.number));
  if (!found) return undefined;
  const [, , outcome, counts, exercised, more] = found;
  return { column, rule, outcome: model.outcomes[outcome], shown: outcomeAt(model, column, rule.number),
    cases: casesOf(model, counts), scenarios: named(details, details.sets[exercised]),
    failed: named(details, more?.failed), light: named(details, more?.light), why: more?.why,
    consequence: more?.consequence ?? rule.consequence,
    judged: (more?.judged ?? []).map((id) => details.findings.find((finding) => finding.id === id)),
    failures: (more?.failures ?? []).map((failure) => ({ ...failure, case: details.names[failure.case] })) };
}

function named(details, numbers = []) {
  return numbers.map((number) => details.names[number]);
}

/** The cases of a cell by outcome: [{words, glyph, count}]. */
function casesOf(model, counts) {
  const cases = [];
  for (let place = 0; place < counts.length; place += 2) {
    cases.push({ ...model.outcomes[counts[place]], count: counts[place + 1] });
  }
  return cases;
}
