// JSON text, laid out on lines. The text never becomes values: a browser would round 2^53 + 1 and show 20.0 as 20.

const TOKEN = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+)/y;

function* tokens(text) {
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) yield match[1];
}

/** The parts of a JSON pointer (RFC 6901). */
function pointerParts(pointer) {
  return pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A token for people: strings without needless escapes, and with those that are needed to see what is there. */
function readable(token) {
  return token[0] === '"' ? visible(JSON.stringify(JSON.parse(token))) : token;
}

/**
 * Lays JSON out: `pieces` [{text, key}], and `from` and `to`, the pieces of the node that `wanted` (the parts of a
 * pointer) leads to. `depth` says how far it leads: when that is less than its length, what is marked is the last node
 * on the way.
 */
class JsonLayout {
  constructor(text, wanted) {
    Object.assign(this, { wanted, pieces: [], from: 0, to: 0, depth: -1, open: [] });
    for (const token of tokens(text)) this.take(token);
  }

  take(token) {
    const inside = this.open.at(-1);
    if (token === "}" || token === "]") this.close(token);
    else if (token === ",") this.put(",");
    else if (token === ":") this.put(": ");
    else if (inside?.object && inside.key === null) this.name(inside, token);
    else this.value(inside, token);
  }

  put(text, key = false) {
    this.pieces.push({ text, key });
  }

  newLine() {
    this.put("\n" + "  ".repeat(this.open.length));
  }

  name(inside, token) {
    inside.count += 1;
    inside.key = JSON.parse(token);
    this.newLine();
    this.put(readable(token), true);
  }

  value(inside, token) {
    if (inside && !inside.object) {
      inside.key = String(inside.count);
      inside.count += 1;
      this.newLine();
    }
    const depth = this.begin(inside);
    if (inside) inside.key = null;
    this.put(readable(token));
    if (token === "{" || token === "[") this.open.push({ object: token === "{", count: 0, key: null, depth });
    else this.finish(depth);
  }

  close(token) {
    const { count, depth } = this.open.pop();
    if (count) this.newLine();
    this.put(token);
    this.finish(depth);
  }

  /** Notes that a value begins, if the pointer leads through it; says how deep it is then, else -1. */
  begin(inside) {
    const depth = this.open.length;
    const onTheWay = !inside || (inside.depth === depth - 1 && this.wanted[depth - 1] === inside.key);
    if (!onTheWay || depth > this.wanted.length) return -1;
    this.from = this.pieces.length;
    this.depth = depth;
    return depth;
  }

  finish(depth) {
    if (depth >= 0 && depth === this.depth) this.to = this.pieces.length;
  }
}

/** JSON text on lines, as text. */
function jsonText(text) {
  return new JsonLayout(text, []).pieces.map((piece) => piece.text).join("");
}

/** JSON text as a `pre`, with the node marked that `pointer` leads to, unless that is the whole or null. */
function jsonView(text, pointer) {
  const wanted = pointer === null ? [] : pointerParts(pointer);
  const { pieces, from, to, depth } = new JsonLayout(text, wanted);
  if (!wanted.length) return el("pre", { tabindex: "0" }, nodesOf(pieces));
  const missing = depth < wanted.length;
  const mark = el("mark", { class: missing ? "near" : "at" }, nodesOf(pieces.slice(from, to)));
  const note = `There is no ${visible(pointer)}; what holds its place is marked.`;
  return el("div", {},
    missing && el("p", { class: "hint" }, note),
    el("pre", { tabindex: "0" }, nodesOf(pieces.slice(0, from)), mark, nodesOf(pieces.slice(to))));
}

/** Pieces as nodes: an element for each key, text for all between. */
function nodesOf(pieces) {
  const nodes = [];
  let text = "";
  for (const piece of pieces) {
    if (!piece.key) {
      text += piece.text;
      continue;
    }
    nodes.push(text, el("span", { class: "key" }, piece.text));
    text = "";
  }
  return [...nodes, text];
}
