// A scenario: what it is about, and where a case of it failed.

async function scenarioView(model, { parts: [name] }) {
  const scenarios = await piece("scenarios");
  const number = scenarios.names.indexOf(name);
  if (number < 0) return unknown(model, "scenario", name, scenarios.names, "scenario");
  const about = model.needs.filter((need) => scenarios.needs[number] & bitOf(model, need));
  const failing = new Map();
  const libraries = new Set();
  for (const [column, rule, count, hard] of scenarios.failing[number]) {
    if (hard) libraries.add(model.columns[column].adapter);
    const own = failing.get(column) ?? failing.set(column, []).get(column);
    own.push([model.rules[rule], count]);
  }
  return { title: name, nodes: [
    about.length > 0 && el("p", { class: "lead" }, `It is about ${about.join(", ")}.`),
    el("p", { class: `verdict ${libraries.size ? "fail" : "pass"}` }, libraries.size ? `a case of it fails in ${plural(libraries.size, "library")}` : "no library fails in it"),
    command(`conformance explain ${name}`), legend(model),
    failing.size > 0 && el("h2", {}, "Where a case shows something"),
    [...failing].map(([column, rules]) => failingView(model, model.columns[column], rules)),
  ] };
}

function failingView(model, column, rules) {
  const adapter = model.adapters[column.adapter];
  return el("section", { class: "cause" },
    el("h3", {}, inward("", libraryHash(adapter), visible(adapter.title)), " on ",
      inward("", providerHash(model.providers[column.provider]), visible(model.providers[column.provider]))),
    el("ul", { class: "places" }, rules.map(([rule, count]) => el("li", {}, cellLink(model, column, rule), " ",
      inward("id", cellHash(model, column, rule), breakable(rule.id)),
      el("span", { class: "hint" }, ` ${plural(count, "case")}`)))));
}
