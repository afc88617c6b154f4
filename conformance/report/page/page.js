// The page: one view, and the way from one to the next.

const VIEWS = {
  "": homeView, library: libraryView, rules: rulesView, rule: ruleView, provider: providerView, scenario: scenarioView,
  cell: cellView, compare: compareView, search: searchView,
};

const model = loadModel();
const view = document.getElementById("view");
const bare = document.title;
let turn = 0;

async function show() {
  const route = readRoute();
  const own = ++turn;
  view.setAttribute("aria-busy", "true");
  const { title, nodes, keepFocus } = await drawn(route);
  if (own !== turn) return;
  const head = el("h1", { tabindex: "-1" }, breakable(title));
  view.replaceChildren(head, ...[nodes].flat(Infinity).filter((node) => !isNothing(node)));
  view.dataset.view = route.view || "home";
  view.removeAttribute("aria-busy");
  markPlace(route);
  document.title = route.view ? `${visible(title)} · ${bare}` : bare;
  document.getElementById("status").textContent = visible(title);
  if (own > 1 && !keepFocus) head.focus({ preventScroll: true });
  scrollTo(0, history.state?.top ?? 0);
  if (own === 1) requestAnimationFrame(() => performance.mark("first-view"));
}

async function drawn(route) {
  try {
    return await (VIEWS[route.view] ?? nowhere)(model, route);
  } catch (problem) {
    return { title: "This view cannot be shown", nodes: [el("p", { class: "notice fail" }, problem.message), inward("", "#/", "To the first view")] };
  }
}

function nowhere(model, { view: name }) {
  return unknown(model, "view", name, Object.keys(VIEWS).filter(Boolean), "");
}

const PLACES = [["", "Overview"], ["rules", "Rules"], ["compare", "Compare"]];

function buildBar() {
  const places = PLACES.filter(([name]) => name !== "compare" || model.adapters.length > 1);
  return [
    el("a", { class: "skip", href: "#view", on: { click: skip } }, "To the content"),
    inward("brand", "#/", "Tool calling"),
    el("nav", { "aria-label": "Views" }, places.map(([name, words]) => el("a", { href: hashOf(name), "data-view": name }, words))),
    searchField(),
  ];
}

function skip(event) {
  event.preventDefault();
  view.focus();
}

function markPlace({ view: name }) {
  for (const link of document.querySelectorAll("#bar nav a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// Where the reader was in a view is kept with it, so that Back leads to the same place.
addEventListener("scroll", () => {
  clearTimeout(rememberPlace.later);
  rememberPlace.later = setTimeout(rememberPlace, 120);
}, { passive: true });

function rememberPlace() {
  if (!view.hasAttribute("aria-busy")) history.replaceState({ top: scrollY }, "");
}

history.scrollRestoration = "manual";
addEventListener("hashchange", show);
addEventListener("beforeprint", finishRows);
document.getElementById("bar").append(...buildBar());
document.getElementById("bar").hidden = false;
show();
