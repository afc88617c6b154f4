// The matrix of one adapter: rules × providers, by stage.

/** The columns that the filters leave. */
function matrixColumns(model, state) {
  return shownProviders(model, state, model.columns[adapterOf(model, state)] ?? []);
}

/** The rows that the filters on rules and providers leave: each a rule and its cells, column by column. */
function matrixRows(model, state) {
  const adapter = adapterOf(model, state);
  const providers = matrixColumns(model, state);
  const rows = shownRules(model, state).map((rule) => ({
    rule, cells: providers.map((provider) => cellAt(model, adapter, provider, rule)),
  }));
  return rows.filter((row) => row.cells.some(Boolean));
}

/** The rows by stage, in the order in which stages are. */
function byStage(model, rows) {
  const stages = new Map();
  for (const stage of model.stages) stages.set(stage, []);
  for (const row of rows) stages.get(model.rules[row.rule].stage).push(row);
  return stages;
}

/** Whether a row has a cell that the filter on outcomes is about. */
function rowMatches(model, state, row) {
  return row.cells.some((cell) => cell && outcomeMatches(model, state, cell));
}

/** The cells of the matrix as it is shown, row by row. */
function shownCells(model, state) {
  const rows = [...byStage(model, matrixRows(model, state)).values()].flat();
  return rows.filter((row) => rowMatches(model, state, row)).flatMap((row) => row.cells.filter(Boolean));
}

function renderMatrix(model, state, view) {
  const providers = matrixColumns(model, state);
  const rows = matrixRows(model, state);
  const shown = rows.filter((row) => rowMatches(model, state, row)).length;
  if (!shown) return view.replaceChildren(nothing());
  const count = shown < rows.length ? `${shown} of ${plural(rows.length, "rule")}` : plural(shown, "rule");
  const table = el("table", { class: "matrix", role: "grid", "aria-label": "Rules by provider" },
    columnWidths(providers.length),
    el("thead", {}, el("tr", {},
      el("th", { scope: "col", class: "first" }, count),
      providers.map((provider, column) => columnHead(model, provider, cellsOf(rows, column))))));
  table.style.setProperty("--columns", providers.length);
  view.replaceChildren(table);
  inSteps(table, rowMakers(model, state, table, byStage(model, rows)));
}

function cellsOf(rows, column) {
  return rows.map((row) => row.cells[column]).filter(Boolean);
}

function nothing() {
  return el("p", { class: "nothing" }, "Nothing matches these filters.");
}

/** Fixed widths: the browser need not lay the whole table out again for every row that is added. */
function columnWidths(count) {
  const columns = Array.from({ length: count }, () => el("col", { class: "column" }));
  return el("colgroup", {}, el("col", { class: "first" }), columns);
}

function columnHead(model, provider, cells) {
  return el("th", { scope: "col" }, providerHead(model.providers[provider]), tallyLine(tallyOf(model, cells)));
}

function tallyLine(tally) {
  return el("span", { class: `tally ${tally.judged ? tally.worst.kind : "none"}` }, tallyText(tally));
}

/** A function for each row that is shown, which adds it. */
function rowMakers(model, state, table, stages) {
  const makers = [];
  for (const [stage, rows] of stages) {
    const shown = rows.filter((row) => rowMatches(model, state, row));
    if (!shown.length) continue;
    const body = el("tbody", {});
    makers.push(() => {
      body.append(stageRow(model, stage, rows));
      table.append(body);
    });
    for (const row of shown) makers.push(() => body.append(ruleRow(model, state, row)));
  }
  return makers;
}

/** A stage, with the tallies of all its rules, also of those that the filter on outcomes leaves out. */
function stageRow(model, stage, rows) {
  const columns = rows[0].cells.map((_, column) => cellsOf(rows, column));
  return el("tr", { class: "stage" }, el("th", { scope: "rowgroup" }, visible(stage)),
    columns.map((cells) => el("td", {}, cells.length ? tallyLine(tallyOf(model, cells)) : null)));
}

function ruleRow(model, state, { rule, cells }) {
  const { id, level, consequence, statement } = model.rules[rule];  // the worst of its cells
  return el("tr", {},
    el("th", { scope: "row" },
      el("span", { class: "id" }, breakable(id)),
      el("span", { class: "weight" }, el("span", { class: `level ${level}` }, level), ` ${consequence}`),
      el("span", { class: "statement", title: visible(statement) }, visible(statement))),
    cells.map((cell) => el("td", {}, cell ? cellButton(model, state, cell) : null)));
}

function cellButton(model, state, cell) {
  const { glyph, kind } = model.outcomes[cell.shown];
  const faint = outcomeMatches(model, state, cell) ? "" : " faint";
  return el("button", {
    type: "button", class: `cell ${kind}${faint}`, tabindex: "-1", "aria-label": cellLabel(model, cell),
    "data-provider": cell.provider, "data-rule": cell.rule,
  }, glyph);
}

function cellLabel(model, cell) {
  const failed = cell.failed ? `, ${plural(cell.failed.length, "case")}` : "";
  const [rule, provider] = [model.rules[cell.rule].id, model.providers[cell.provider]].map(visible);
  return `${wordsOf(model, cell)}${failed}: ${rule} on ${provider}`;
}

// --- many rows, without making anybody wait -------------------------------------------------------------------------

const SCREENFUL = 50;
const STEP = 60;
let unfinished = null;

/** Run what makes the rows: at once what fits on a screen, then the rest a little at a time. */
function inSteps(table, makers) {
  let next = 0;
  const step = (count) => {
    for (const end = Math.min(next + count, makers.length); next < end; next += 1) makers[next]();
    if (next < makers.length) {
      setTimeout(() => { if (unfinished === step) step(STEP); });
      return;
    }
    unfinished = null;
    table.removeAttribute("aria-busy");
  };
  unfinished = step;
  table.setAttribute("aria-busy", "true");
  step(SCREENFUL);
  focusable(table);
}

/** Make all rows now, for what needs them all: paper. */
function finishRows() {
  unfinished?.(Infinity);
}

// --- the keyboard: one stop for Tab, arrows inside ------------------------------------------------------------------

/** Lets Tab reach the open cell, or else the first one. */
function focusable(table, button = null) {
  const stop = button ?? table.querySelector('.cell[aria-current], .cell[tabindex="0"], .cell');
  for (const other of table.querySelectorAll('.cell[tabindex="0"]')) other.tabIndex = -1;
  if (stop) stop.tabIndex = 0;
}

const MOVES = {
  ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], PageDown: [10, 0], PageUp: [-10, 0],
};

function moveByKey(event) {
  const button = event.target.closest(".cell");
  if (!button) return;
  const next = event.key in MOVES ? neighbour(button, ...MOVES[event.key]) : rowEnd(button, event.key);
  if (!next) return;
  event.preventDefault();
  focusCell(next);
}

function focusCell(button) {
  focusable(button.closest("table"), button);
  button.focus();
}

/** The next cell in a direction, over rows and columns that have none there. */
function neighbour(button, down, right) {
  const place = button.parentElement;
  const rows = [...place.closest("table").querySelectorAll("tbody tr:not(.stage)")];
  let row = rows.indexOf(place.parentElement) + down;
  let column = place.cellIndex + right;
  if (Math.abs(down) > 1) row = Math.max(0, Math.min(rows.length - 1, row));
  for (; rows[row]?.cells[column]; row += Math.sign(down), column += right) {
    const found = rows[row].cells[column].querySelector(".cell");
    if (found) return found;
  }
  return null;
}

function rowEnd(button, key) {
  const cells = button.closest("tr").querySelectorAll(".cell");
  return { Home: cells[0], End: cells[cells.length - 1] }[key];
}
