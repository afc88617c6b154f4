// Where the reader is. All of it is in the URL's hash, by name, so that every view can be linked: #/view/name?filter=…

/** The view that the hash asks for. */
function readRoute() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view = "", ...parts] = path.split("/").map(decoded);
  return { view, parts, params: new URLSearchParams(query) };
}

/** Halves of characters, which URLs do not have, stand as %uD800. */
function encoded(text) {
  return text.split(/(\p{Surrogate})/u).map((part) =>
    (/^\p{Surrogate}$/u.test(part) ? `%u${part.charCodeAt(0).toString(16)}` : encodeURIComponent(part))).join("");
}

function decoded(text) {
  try {
    return text.split(/(%ud[89a-f][\da-f]{2})/).map((part) =>
      (part.startsWith("%u") ? String.fromCharCode(parseInt(part.slice(2), 16)) : decodeURIComponent(part))).join("");
  } catch {
    return text;
  }
}

/** The hash of a view. Filters that are empty are left out; of lists each value stands alone. */
function hashOf(view, parts = [], params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) if (one) query.append(name, one);
  }
  const path = [view, ...parts].map(encoded).join("/");
  return `#/${path}${query.size ? `?${query}` : ""}`;
}

/** Says in the address what the reader filters, without leaving the view. */
function remember(view, parts, params) {
  history.replaceState(history.state, "", hashOf(view, parts, params));
}

/** A link within the page. */
function inward(look, hash, ...children) {
  return el("a", { class: look, href: hash }, ...children);
}

const libraryHash = (adapter, params) => hashOf("library", [adapter.id], params);
const ruleHash = (rule) => hashOf("rule", [rule.id]);
const providerHash = (name) => hashOf("provider", [name]);
const scenarioHash = (name) => hashOf("scenario", [name]);

function cellHash(model, column, rule) {
  return hashOf("cell", [model.adapters[column.adapter].id, model.providers[column.provider], rule.id]);
}
