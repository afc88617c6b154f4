// How outcomes look, and what they mean.

function glyphOf({ glyph, kind }) {
  return el("span", { class: `glyph ${kind}`, "aria-hidden": "true" }, glyph);
}

const KIND_OF = { fails: "fail", warns: "warn", oddity: "oddity", conforms: "pass", nothing: "none" };

const HARMS = {
  rejected: "the provider refuses the request",
  presumed: "the provider probably refuses the request; no record says either",
  lost: "data, or the link between a call and its result, is lost",
  degraded: "it works, but less well",
};

const LEVEL_WORDS = {
  must: "breaking it is a failure", should: "breaking it is a warning", may: "it is about an optional capability",
};

/** The glyphs that this result has, and the words for rules. */
function legend(model) {
  const present = new Set(model.columns.flatMap((column) => [...column.letters]));
  const shown = model.outcomes.filter((_, number) => present.has(String.fromCharCode(97 + number)));
  const terms = (table) => Object.entries(table).flatMap(([name, words]) => [el("dt", {}, name), el("dd", {}, words)]);
  return el("details", { class: "legend" },
    el("summary", {}, "How to read it: ",
      shown.filter(({ id }) => ["fail", "warn", "oddity", "pass"].includes(id))
        .map((outcome) => [glyphOf(outcome), ` ${outcome.explained} `])),
    el("ul", { class: "glyphs" }, shown.map((outcome) => el("li", {}, glyphOf(outcome), ` ${outcome.explained}`))),
    el("p", {}, "A rule is one sentence with a public source. Breaking it means:"),
    el("dl", {}, terms(HARMS)),
    el("p", {}, "Levels:"),
    el("dl", {}, terms(LEVEL_WORDS)));
}

/** A bar of what the cells came to. */
function bar(tally) {
  const parts = Object.entries(tally.kinds).filter(([kind, count]) => count && kind !== "none");
  return el("span", { class: "bar-of-kinds", "aria-hidden": "true" }, parts.map(([kind, count]) => {
    const part = el("span", { class: kind });
    part.style.flexGrow = count;
    return part;
  }));
}

/** What somebody found who read the failures. */
function judgement(finding) {
  const { title, judgement: whose, consequence, why, issues = [] } = finding;
  return [el("p", {}, el("strong", {}, coded(title)), el("span", { class: "hint" }, ` ${consequence}, ${whose}`)),
    el("p", {}, coded(why)),
    issues.map(({ url, state, date }) => el("p", { class: "hint" }, linked(visible(url)), ` (${state}, ${date})`))];
}
