// A rule: what it says, where that is written, and who keeps it.

const SIDES = { build: "the request that the library builds", parse: "the turn that the library understands" };

async function ruleView(model, { parts: [id] }) {
  const rule = (await wordedRules(model)).find((one) => one.id === id);
  if (!rule) return unknown(model, "rule", id, model.rules.map((one) => one.id), "rule");
  const columns = model.columns.filter((column) => outcomeAt(model, column, rule.number));
  const breaking = librariesWith(model, rule, "fail");
  return { title: rule.id, nodes: [
    el("p", { class: "statement" }, coded(rule.statement)),
    el("p", { class: `verdict ${breaking.length ? "fail" : "pass"}` },
      `${breaking.length} of ${plural(model.adapters.filter((one) => one.columns.some((column) => columns.includes(column))).length, "library")} ${breaking.length === 1 ? "breaks" : "break"} it`),
    ruleFacts(rule), legend(model),
    el("h2", {}, "Who keeps it"), ruleTable(model, rule, columns),
    el("h2", {}, "To know more"), command(`conformance explain ${rule.id}`),
  ] };
}

function ruleFacts(rule) {
  const facts = [
    ["Level", `${rule.level}: ${LEVEL_WORDS[rule.level]}`], ["Consequence", `${rule.consequence}: ${HARMS[rule.consequence]}`],
    ["Judges", SIDES[rule.side]], ["Stage", visible(rule.stage)],
    ["Source", (rule.source ?? []).map((text) => el("span", { class: "source" }, linked(visible(text))))],
  ];
  return el("dl", { class: "facts" }, facts.filter(([, value]) => value?.length)
    .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function ruleTable(model, rule, columns) {
  const providers = [...new Set(columns.map((column) => column.provider))].sort((one, other) => one - other);
  const head = el("tr", {}, el("th", { scope: "col", class: "first" }, "Library"), providers.map((provider) =>
    el("th", { scope: "col" }, inward("provider", providerHash(model.providers[provider]), breakable(model.providers[provider])))));
  const rows = model.adapters.filter((adapter) => columns.some((column) => column.adapter === adapter.number)).map((adapter) =>
    el("tr", {}, el("th", { scope: "row" }, inward("name", libraryHash(adapter), visible(adapter.title))),
      providers.map((provider) => {
        const column = columns.find((one) => one.adapter === adapter.number && one.provider === provider);
        return el("td", {}, column && cellLink(model, column, rule));
      })));
  return tableBox("overview", "Libraries by provider", providers.length, head, el("tbody", {}, rows));
}
