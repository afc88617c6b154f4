// The page: one state, and what is drawn from it.

const model = loadModel();
const view = document.getElementById("view");
const panel = document.getElementById("panel");
const toolbar = buildBar(model, go);
let state = readState(model);
let drawn = null;

/** Changes the state and shows it. With `step`, the browser's Back button leads back to before. */
function go(changes, step = false) {
  state = sensible(model, { ...state, ...changes });
  const hash = hashOf(state);
  if (step) location.hash = hash;
  else history.replaceState(null, "", hash);
  draw();
}

/** The cells that the filters on rules and providers leave: of one adapter where the matrix is shown, else of all. */
function filteredCells(model, state) {
  if (viewOf(model, state) === "rules") return matrixRows(model, state).flatMap((row) => row.cells.filter(Boolean));
  const rules = new Set(shownRules(model, state));
  const providers = new Set(shownProviders(model, state, model.providers.map((_, number) => number)));
  return model.cells.filter((cell) => rules.has(cell.rule) && providers.has(cell.provider));
}

function draw() {
  const matrix = { ...state, on: "", rule: "" };
  const changed = JSON.stringify(matrix) !== drawn;
  const render = { rules: renderMatrix, overview: renderOverview, causes: renderCauses }[viewOf(model, state)];
  if (changed) {
    drawn = JSON.stringify(matrix);
    toolbar.sync(state, filteredCells(model, state));
    render(model, state, view);
    document.getElementById("status").textContent = view.querySelector(".first:not(col), .nothing").textContent;
  }
  drawPanel();
}

/** Draws the panel, once the page is read to its end: the evidence comes last, so that nothing waits for it. */
function drawPanel() {
  if (document.readyState === "loading") return;
  const cell = openCell(model, state);
  const before = view.querySelector(".cell[aria-current]");
  before?.removeAttribute("aria-current");
  if (!cell) return closePanel(before);
  const button = buttonOf(cell);
  button?.setAttribute("aria-current", "true");
  if (button) focusable(button.closest("table"), button);
  openPanel(model, state, cell, panel, go);
  button?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function closePanel(button) {
  if (!panel.open) return;
  panel.close();
  panel.replaceChildren();
  button?.focus();
}

function buttonOf(cell) {
  const find = () => view.querySelector(`.cell[data-provider="${cell.provider}"][data-rule="${cell.rule}"]`);
  if (!find()) finishRows();
  return find();
}

// --- events ---------------------------------------------------------------------------------------------------------

view.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.matches(".cell")) {
    const { provider, rule } = button.dataset;
    go({ on: model.providers[provider], rule: model.rules[rule].id }, true);
  } else if (button?.dataset.rule) {
    const { adapter, on, rule } = button.dataset;
    go({ view: "rules", adapter, on, rule, provider: [], outcome: [] }, true);
  } else if (button?.dataset.adapter) {
    const { adapter, provider, stage } = button.dataset;
    go({ view: "rules", adapter, provider: provider ? [provider] : state.provider, stage: stage || state.stage }, true);
  }
});

view.addEventListener("keydown", moveByKey);

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && panel.open && !event.target.matches("input, select")) go({ on: "", rule: "" });
});

panel.addEventListener("cancel", (event) => {
  event.preventDefault();
  go({ on: "", rule: "" });
});

window.addEventListener("hashchange", () => {
  if (location.hash === hashOf(state)) return;
  state = readState(model);
  draw();
});

document.addEventListener("DOMContentLoaded", drawPanel);
window.addEventListener("beforeprint", () => {
  finishRows();
  unstackPanel(panel);
});

document.getElementById("top").append(...buildTop(model));
document.getElementById("bar").append(...toolbar.elements);
document.getElementById("bar").addEventListener("submit", (event) => event.preventDefault());
document.querySelector(".app").hidden = false;
draw();
