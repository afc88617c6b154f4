// One failure: where it is, what was expected and found, and everything that was sent, received and understood.

/** A failure, closed unless `open`. Its evidence is loaded when it is opened first. */
function failureView(failure, open) {
  const body = el("div", { class: "body" });
  const box = el("details", { class: "failure", open },
    el("summary", {}, visible(failure.case), el("span", { class: "hint" }, ` ${visible(failure.at)}`)), body);
  const fill = async () => {
    body.append(el("p", { class: "where" }, "At ", el("code", {}, visible(failure.at) || "(whole)"), ` in the ${failure.in}`),
      difference(failure));
    body.append(...await evidenceNodes(failure).catch((problem) => [el("p", { class: "notice fail" }, problem.message)]));
  };
  box.addEventListener("toggle", () => { if (box.open && !body.firstChild) fill(); });
  return box;
}

async function evidenceNodes(failure) {
  const [chunk, place] = failure.evidence;
  const evidence = (await piece(`e${chunk}`))[place];
  return [el("h3", {}, "Reproduce"), command(evidence.command),
    ...evidence.parts.map((part) => partView(part, failure))];
}

/** What was expected and what was found, with what differs marked. */
function difference(failure) {
  const [expected, found] = [failure.expected, failure.found].map(valueText);
  const [start, end] = sharedEnds(expected, found);
  const half = (words, kind, text) => {
    const last = text.length - end;
    const mark = last > start && el("mark", {}, text.slice(start, last));
    return el("div", { class: `half ${kind}` },
      el("h3", {}, words), el("pre", { tabindex: "0" }, text.slice(0, start), mark, text.slice(last)));
  };
  return el("div", { class: "halves" }, half("Expected", "expected", expected), half("Found", "found", found));
}

/** A value as text: bare if it is one line that cannot be taken for anything but words, else as JSON. */
function valueText(json) {
  if (json[0] === '"') {
    const text = JSON.parse(json);
    return isWords(text) ? visible(text) : readable(json);
  }
  return jsonText(json);
}

function isWords(text) {
  if (!text || text !== text.trim() || /[\n\r\t]| {2}/.test(text)) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

const LOW_SURROGATE = /^[\udc00-\udfff]/;

/**
 * How long the beginning and the end are that two texts share, in whole characters. When they share less than half of
 * the shorter one they are simply different: [0, 0].
 */
function sharedEnds(one, other) {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  if (LOW_SURROGATE.test(one[start]) || LOW_SURROGATE.test(other[start])) start -= 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  if (LOW_SURROGATE.test(one.at(-end))) end -= 1;
  return (start + end) * 2 >= shorter ? [start, end] : [0, 0];
}

// --- parts of the evidence ------------------------------------------------------------------------------------------

function partView(part, failure) {
  const concerned = part.in === failure.in;
  const box = el("details", { class: "part" }, el("summary", {}, part.title));
  box.open = concerned || part.open === true;
  const content = [
    part.head && el("pre", { class: "head", tabindex: "0" }, visible(part.head)),
    part.json && jsonView(part.json, concerned ? failure.at : null),
    part.text && el("pre", { tabindex: "0" }, visible(part.text)),
    part.chunks && chunksView(part),
  ];
  box.append(...content.filter(Boolean));
  box.addEventListener("toggle", () => scrollToMarks(box));
  return box;
}

/** What was read of a stream, read by read. */
function chunksView({ chunks, of }) {
  const left = of - chunks.length;
  return el("details", { class: "part" }, el("summary", {}, "The stream, read by read"),
    el("ol", { class: "chunks" }, chunks.map((chunk) => el("li", {}, el("code", {}, readable(JSON.stringify(chunk)))))),
    left > 0 && el("p", { class: "hint" }, `and ${left} more`));
}

/** Brings what is marked into view, in its own box and without moving anything else. */
function scrollToMarks(box) {
  for (const mark of box.querySelectorAll("pre > mark")) {
    const pre = mark.parentElement;
    const offset = mark.getBoundingClientRect().top - pre.getBoundingClientRect().top;
    pre.scrollTop += offset - pre.clientHeight / 3;
  }
}
