// Elements from text. What a result holds reaches the page only as text nodes and attributes, never as markup.

/** A new element. `on` holds listeners; an attribute that is null, undefined or false is left out. */
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") listen(element, value);
    else if (!isNothing(value)) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => !isNothing(child)));
  return element;
}

function isNothing(value) {
  return value === null || value === undefined || value === false;
}

function listen(element, listeners) {
  for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener);
}

/** A button that looks so (its class), and does so. */
function button(look, click, attributes, ...children) {
  return el("button", { type: "button", class: look, on: { click }, ...attributes }, ...children);
}

function press(element, pressed) {
  element.setAttribute("aria-pressed", String(pressed));
  return element;
}

const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Surrogate}]/gu;

/** `text` with the characters escaped that cannot be seen, or that turn other text around. */
function visible(text) {
  return String(text).replace(UNSEEN, (char) => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** Words in which what stands between backticks is code. */
function coded(text) {
  const parts = visible(text).split("`");
  if (parts.length % 2 === 0) return [visible(text)];
  return parts.map((part, number) => (number % 2 ? el("code", {}, part) : part));
}

const URL_IN_TEXT = /https?:\/\/[^\s<>"'`]+/g;

/** `text` as nodes, with its http and https URLs as links. */
function linked(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(URL_IN_TEXT)) {
    const url = withoutPunctuation(match[0]);
    nodes.push(text.slice(end, match.index), outward(url, url));
    end = match.index + url.length;
  }
  return [...nodes, text.slice(end)];
}

/** `url` without the end of the sentence or the parenthesis that it stands in. */
function withoutPunctuation(url) {
  const trimmed = url.replace(/[.,;:!?\]]+$/, "");
  return trimmed.endsWith(")") && !trimmed.includes("(") ? withoutPunctuation(trimmed.slice(0, -1)) : trimmed;
}

/** A link to elsewhere, or mere text when `url` is no http or https URL. */
function outward(url, text) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!["http:", "https:"].includes(parsed?.protocol)) return text;
  return el("a", { href: parsed.href, rel: "noreferrer noopener", target: "_blank" }, text);
}

/** A name that may break after its dots and dashes. */
function breakable(name) {
  return visible(name).split(/(?<=[./-])/).flatMap((part) => [part, el("wbr")]);
}

/** "1 case", "2 cases", "1 library", "2 libraries". */
function plural(count, word) {
  if (count === 1) return `1 ${word}`;
  return `${count.toLocaleString("en")} ${word.endsWith("ry") ? `${word.slice(0, -1)}ies` : `${word}s`}`;
}

function capital(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

// --- copying --------------------------------------------------------------------------------------------------------

/** A command with a button that copies it. */
function command(text) {
  const copier = button("quiet", (event) => copy(text, event.currentTarget), {}, "Copy");
  return el("div", { class: "command" }, el("code", { tabindex: "0" }, visible(text)), copier);
}

async function copy(text, pressed) {
  pressed.textContent = (await copied(text)) ? "Copied" : "Select and copy";
  setTimeout(() => { pressed.textContent = "Copy"; }, 1600);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

/** The old way to copy, for pages that may not use the clipboard otherwise. */
function copiedBySelection(text) {
  const area = el("textarea", { class: "unseen" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
