// Why cases failed: one cause after the other, the most important first.

const STANDINGS = {
  fails: ["fail", "What fails, most important first"],
  warns: ["warn", "What could be better"],
  oddity: ["oddity", "Tolerance: only hosts that deviate from the provider make these show"],
};
const BRIGHT = ["expected", "found", "reproduce"];

/** The causes that the filters leave, with their places in the whole order. */
function shownCauses(model, state) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const rules = new Map(model.rules.map((rule) => [rule.id, rule]));
  return model.causes.map((cause, place) => ({ cause, place })).filter(({ cause }) =>
    (!state.provider.length || state.provider.includes(cause.on)) && ruleMatches(rules.get(cause.rule), state, words));
}

function renderCauses(model, state, view) {
  const shown = shownCauses(model, state);
  if (!shown.length) return view.replaceChildren(nothing());
  const sections = Object.entries(STANDINGS).map(([standing, [kind, head]]) => {
    const own = shown.filter(({ cause }) => cause.standing === standing);
    return own.length > 0 && el("section", {}, el("h2", { class: "first" }, head),
      el("ol", {}, own.map(({ cause }) => causeView(model, cause, kind))));
  });
  view.replaceChildren(el("div", { class: "causes" }, ...sections.filter(Boolean)));
}

function causeView(model, cause, kind) {
  const several = model.adapters.length > 1 && [visible(cause.adapter), ": "];
  return el("li", { class: `cause ${kind}` },
    el("h3", {}, several, visible(cause.title)),
    el("p", { class: "hint" }, visible(cause.weight)),
    cause.statement && el("p", {}, visible(cause.statement)),
    el("dl", {}, cause.facts.map(fact)),
    cause.blocks.map(([name, lines]) => el("details", { class: "part", open: name === "traceback" },
      el("summary", {}, name), el("pre", {}, visible(lines.join("\n"))))),
    el("button", {
      type: "button", class: "quiet", "data-adapter": cause.adapter, "data-on": cause.on, "data-rule": cause.rule,
    }, "Show the cell"));
}

function fact([name, value]) {
  const shown = name === "reproduce" ? command(visible(value)) : el("code", {}, visible(value));
  return [el("dt", {}, name), el("dd", { class: BRIGHT.includes(name) && "bright" }, shown)];
}
