// A provider: the libraries that speak to it, ranked, and the rules that most of them break.

const MOST_BROKEN = 12;

async function providerView(model, { parts: [name] }) {
  const provider = model.providers.indexOf(name);
  if (provider < 0) return unknown(model, "provider", name, model.providers, "provider");
  const words = await wordedRules(model);
  const answers = ranked(model, provider, []);
  return { title: name, nodes: [
    el("p", { class: "best" }, bestWords(model, answers)),
    el("p", { class: "buttons" }, inward("quiet", hashOf("", [], { on: name }), "I need something special of it")),
    legend(model),
    el("h2", {}, "Libraries, the best first"),
    el("ol", { class: "answers" }, answers.map((answer) => answerView(model, words, answer, name, []))),
    brokenView(model, words, answers),
  ] };
}

function brokenView(model, words, answers) {
  const counts = new Map();
  for (const { faults } of answers) for (const { rule, verdict } of faults) if (verdict < LIMITS) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const worst = [...counts].sort((one, other) => other[1] - one[1]).slice(0, MOST_BROKEN);
  return worst.length > 0 && [el("h2", {}, "Rules that most of them break"),
    el("ul", { class: "places" }, worst.map(([rule, count]) => el("li", {}, inward("id", ruleHash(words[rule]), breakable(words[rule].id)),
      el("span", { class: "hint" }, ` ${plural(count, "library")}`), el("p", {}, coded(words[rule].statement)))))];
}
