// Lists: all rules, and what to say when a link leads nowhere.

/** Every rule, with who breaks it. */
async function rulesView(model) {
  const words = await wordedRules(model);
  const head = el("tr", {}, el("th", { scope: "col", class: "first" }, plural(words.length, "rule")),
    el("th", { scope: "col" }, "Broken by"), el("th", { scope: "col" }, "Kept by"));
  const box = tableBox("rules", "Rules", 2, head);
  const body = el("tbody", {});
  box.firstChild.append(body);
  inSteps(box, words.map((rule) => () => body.append(el("tr", {},
    el("th", { scope: "row" }, inward("id", ruleHash(rule), breakable(rule.id)),
      el("span", { class: "weight" }, el("span", { class: `level ${rule.level}` }, rule.level), ` ${rule.consequence}`),
      el("span", { class: "statement" }, coded(rule.statement))),
    countsOf(model, rule).map(([kind, count]) => el("td", { class: kind }, String(count || "")))))));
  return { title: "Rules", nodes: [legend(model), box] };
}

/** How many libraries break a rule at some provider, and how many keep it wherever it was judged. */
function countsOf(model, rule) {
  const breaking = librariesWith(model, rule, "fail");
  const keeping = librariesWith(model, rule, "pass").filter((adapter) => !breaking.includes(adapter));
  return [["fail", breaking.length], ["pass", keeping.length]];
}

/** The libraries of which a cell of the rule is of this kind. */
function librariesWith(model, rule, kind) {
  return model.adapters.filter((adapter) =>
    adapter.columns.some((column) => outcomeAt(model, column, rule.number)?.kind === kind));
}

/** A link to something that this result does not hold, and what may have been meant. */
function unknown(model, what, name, known, view) {
  const near = known.filter((other) => other.includes(name) || name.includes(other)).slice(0, 5);
  return { title: `No ${what} of this name`, nodes: [
    el("p", {}, `This result holds no ${what} called “${visible(name)}”.`),
    near.length > 0 && el("ul", {}, near.map((other) => el("li", {}, inward("", hashOf(view, [other]), visible(other))))),
    el("p", {}, inward("", "#/", "To the first view")),
  ] };
}
