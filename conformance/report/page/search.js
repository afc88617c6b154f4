// Search: libraries, providers, rules and scenarios, by any words of their names and sentences.

const MOST_FOUND = 20;

async function searchView(model, { params }) {
  const words = (params.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? await matches(model, words) : [];
  const total = found.reduce((sum, [, items]) => sum + items.length, 0);
  return { title: words.length ? `Search: ${words.join(" ")}` : "Search", keepFocus: true, nodes: [
    el("p", { class: "hint" }, words.length ? `${total} found` : "Type a library, a rule, a scenario or words of a rule."),
    found.filter(([, items]) => items.length).map(([head, items]) => [
      el("h2", {}, `${head} (${items.length})`),
      el("ul", { class: "places" }, items.slice(0, MOST_FOUND).map(([hash, name, more]) =>
        el("li", {}, inward("id", hash, breakable(name)), more && el("p", {}, coded(more))))),
      items.length > MOST_FOUND && el("p", { class: "hint" }, `and ${items.length - MOST_FOUND} more: add a word`)]),
  ] };
}

/** Words by which a need is meant in a question, by their beginnings. */
const MEANT = {
  streaming: /^stream/, "parallel calls": /^parallel/, images: /^(image|picture)/, reasoning: /^(reason|think)/, MCP: /^mcp/,
  "forced tools": /^(force|forcing|choice)/, "strict schemas": /^strict/, "structured results": /^structured/, "failed tools": /^failed/,
  "errors and refusals": /^(error|refus)/, "another provider's history": /^(history|another)/, "server tools": /^server/, "custom tools": /^custom/,
  "shells and patches": /^(shell|patch)/,
};

/** What is asked with these words, where they name a provider: [[hash, words]]. */
function question(model, words) {
  const parts = words.flatMap((word) => word.split(/[^a-z0-9-]+/)).filter(Boolean);
  const name = model.providers.find((one) => parts.includes(one.toLowerCase()))
    ?? model.providers.find((one) => parts.some((part) => one.toLowerCase().split("-").includes(part)));
  const needs = [STREAMING, ...model.needs].filter((need) => parts.some((part) => MEANT[need].test(part)));
  if (!name || model.adapters.length < 2) return [];
  return [[hashOf("", [], { on: name, need: needs }), `Libraries on ${name}${needs.length ? `, for ${needs.join(", ")}` : ""}: which keep it right`]];
}

async function matches(model, words) {
  const [rules, scenarios] = await Promise.all([wordedRules(model), piece("scenarios")]);
  const has = (text) => words.every((word) => text.toLowerCase().includes(word));
  return [
    ["Answer", question(model, words)],
    ["Libraries", model.adapters.filter((one) => has(`${one.title} ${one.id}`)).map((one) => [libraryHash(one), one.title])],
    ["Providers", model.providers.filter(has).map((name) => [providerHash(name), name])],
    ["Rules", rules.filter((rule) => has(`${rule.id} ${rule.statement}`)).map((rule) => [ruleHash(rule), rule.id, rule.statement])],
    ["Scenarios", scenarios.names.filter(has).map((name) => [scenarioHash(name), name])],
  ];
}

/** The field at the top. What is typed is searched as it is typed; "/" leads to it from anywhere. */
function searchField() {
  let later;
  const search = () => {
    const hash = hashOf("search", [], { q: input.value.trim() });
    if (hash === location.hash) return;
    if (readRoute().view === "search") history.replaceState(null, "", hash);
    else location.hash = hash;
    show();
  };
  const typed = () => {
    clearTimeout(later);
    later = setTimeout(search, 150);
  };
  const input = el("input", { type: "search", placeholder: "Search libraries, rules, scenarios", "aria-label": "Search", on: { input: typed } });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    input.focus();
  });
  const submit = (event) => {
    event.preventDefault();
    search();
  };
  return el("form", { role: "search", on: { submit } }, input);
}
