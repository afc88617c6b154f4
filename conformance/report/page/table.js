// Tables of cells: wide ones scroll, long ones come in steps, and arrows go from cell to cell.

/** A table in a box that scrolls sideways. `count` is its number of columns beside the first. */
function tableBox(look, label, count, head, ...bodies) {
  const columns = Array.from({ length: count }, () => el("col", { class: "column" }));
  const table = el("table", { class: look, "aria-label": label },
    el("colgroup", {}, el("col", { class: "first" }), columns), el("thead", {}, head), ...bodies);
  table.style.setProperty("--columns", count);
  table.addEventListener("keydown", moveByKey);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

/** A link to a cell, as its glyph. */
function cellLink(model, column, rule, faint = false) {
  const outcome = outcomeAt(model, column, rule.number);
  if (!outcome) return null;
  const place = `${visible(rule.id)} on ${visible(model.providers[column.provider])}`;
  const label = `${outcome.words}: ${place}, ${visible(model.adapters[column.adapter].id)}`;
  return el("a", { class: `cell ${outcome.kind}${faint ? " faint" : ""}`, href: cellHash(model, column, rule),
    "aria-label": label, title: outcome.explained }, outcome.glyph);
}

// --- many rows, without making anybody wait -------------------------------------------------------------------------

const SCREENFUL = 50;
const STEP = 60;
const unfinished = new Set();

/** Runs what makes rows: at once what fits on a screen, then the rest a little at a time. */
function inSteps(box, makers) {
  let next = 0;
  const step = (count) => {
    for (const end = Math.min(next + count, makers.length); next < end; next += 1) makers[next]();
    if (next < makers.length) return;
    unfinished.delete(step);
    box.removeAttribute("aria-busy");
  };
  const later = () => {
    if (!unfinished.has(step)) return;
    step(STEP);
    setTimeout(later);
  };
  unfinished.add(step);
  box.setAttribute("aria-busy", "true");
  step(SCREENFUL);
  setTimeout(later);
}

/** Makes all rows now, for what needs them all: paper. */
function finishRows() {
  for (const step of unfinished) step(Infinity);
}

// --- the keyboard: arrows go over rows and columns that have no cell there ------------------------------------------

const MOVES = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

function moveByKey(event) {
  const link = event.target.closest(".cell, .sum");
  if (!link) return;
  const next = event.key in MOVES ? neighbour(link, ...MOVES[event.key]) : rowEnd(link, event.key);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function neighbour(link, down, right) {
  const place = link.closest("td");
  const rows = [...place.closest("table").querySelectorAll("tbody tr")];
  let row = rows.indexOf(place.parentElement) + down;
  let column = place.cellIndex + right;
  for (; rows[row] && column > 0 && column <= rows[row].cells.length; row += down, column += right) {
    const found = rows[row].cells[column]?.querySelector(".cell, .sum");
    if (found) return found;
  }
  return null;
}

function rowEnd(link, key) {
  const cells = link.closest("tr").querySelectorAll(".cell, .sum");
  return { Home: cells[0], End: cells[cells.length - 1] }[key];
}
