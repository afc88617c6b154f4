// Why cases failed: what somebody found who read them, or else one cause after the other, the most important first.

const STANDINGS = {
  fails: ["fail", "What fails, most important first"],
  warns: ["warn", "What could be better"],
  oddity: ["oddity", "Tolerance: only hosts that deviate from the provider make these show"],
};
const JUDGED = { fault: ["fail", "Faults"], limit: ["warn", "Limits: no place for it, or decided so"], oddity: ["oddity", "Only on hosts that deviate"] };
const BRIGHT = ["expected", "found", "reproduce"];

/** Findings of a library, by class. `on` are the providers that are asked for. */
function findingsView(model, details, on) {
  const shown = details.findings.filter(({ cells }) => !on.length
    || cells.some(([column]) => on.includes(model.providers[model.columns[column].provider])));
  return Object.entries(JUDGED).map(([name, [kind, head]]) => {
    const own = shown.filter(({ judgement: whose }) => whose === name);
    return own.length > 0 && el("section", {}, el("h3", {}, `${head} (${own.length})`),
      own.map((finding) => findingView(model, finding, kind)));
  });
}

function findingView(model, finding, kind) {
  const places = finding.cells.map(([column, rule]) => [model.columns[column], model.rules[rule]]);
  const providers = [...new Set(places.map(([column]) => model.providers[column.provider]))];
  return el("details", { class: `cause ${kind}` },
    el("summary", {}, el("strong", {}, coded(finding.title)),
      el("span", { class: "hint" }, ` ${finding.consequence} · ${providers.map(visible).join(", ")}`)),
    el("div", { class: "judged" }, judgement(finding).slice(1)),
    finding.program && folded("A program that shows it and needs only the library", finding.program),
    finding.output && folded("What the program printed", finding.output),
    el("ul", { class: "places" }, places.map(([column, rule]) => el("li", {},
      cellLink(model, column, rule), " ", inward("id", cellHash(model, column, rule), breakable(rule.id)),
      el("span", { class: "hint" }, ` on ${visible(model.providers[column.provider])}`)))));
}

function folded(summary, text) {
  return el("details", { class: "part" }, el("summary", {}, summary), el("pre", { tabindex: "0" }, visible(text)));
}

/** Causes as the run told them, by standing. */
function causesView(model, details, on) {
  const shown = details.causes.filter((cause) => !on.length || on.includes(model.providers[model.columns[cause.on].provider]));
  return Object.entries(STANDINGS).map(([standing, [kind, head]]) => {
    const own = shown.filter((cause) => cause.standing === standing);
    return own.length > 0 && el("section", {}, el("h3", {}, head), own.map((cause) => causeView(model, cause, kind)));
  });
}

function causeView(model, cause, kind) {
  return el("article", { class: `cause ${kind}` },
    el("h4", {}, breakable(cause.title)),
    el("p", { class: "hint" }, visible(cause.weight)),
    cause.statement && el("p", {}, coded(cause.statement)),
    el("dl", {}, cause.facts.map(fact)),
    cause.blocks.map(([name, lines]) => el("details", { class: "part", open: name === "traceback" },
      el("summary", {}, name), el("pre", { tabindex: "0" }, visible(lines.join("\n"))))),
    inward("quiet", cellHash(model, model.columns[cause.on], model.rules[cause.rule]), "Show the evidence"));
}

function fact([name, value]) {
  const shown = name === "reproduce" ? command(value) : el("code", {}, visible(value));
  return [el("dt", {}, name), el("dd", { class: BRIGHT.includes(name) && "bright" }, shown)];
}
