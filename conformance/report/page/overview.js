// Adapters × providers: how many rules pass, in all and by stage.

function renderOverview(model, state, view) {
  const rules = shownRules(model, state);
  const used = [...new Set(model.columns.flat())].sort((one, other) => one - other);
  const providers = shownProviders(model, state, used);
  if (!rules.length || !providers.length) return view.replaceChildren(nothing());
  const head = el("tr", {}, el("th", { scope: "col", class: "first" }, "Rules that pass"),
    providers.map((provider) => el("th", { scope: "col" }, providerHead(model.providers[provider]))));
  const table = el("table", { class: "overview", "aria-label": "Adapters by provider" },
    columnWidths(providers.length), el("thead", {}, head),
    model.adapters.map((_, adapter) => adapterBody(model, adapter, providers, rules, byStageOf(model, state))));
  table.style.setProperty("--columns", providers.length);
  view.replaceChildren(table);
}

function adapterBody(model, adapter, providers, rules, byStage) {
  const { id, name, version } = model.adapters[adapter];
  const row = (head, chosen, stage) => el("tr", { class: stage ? "part" : "whole" }, head,
    providers.map((provider) => el("td", {}, overviewCell(model, adapter, provider, chosen, stage))));
  const head = el("th", { scope: "rowgroup" },
    el("button", { type: "button", class: "name", "data-adapter": id },
      visible(name), " ", el("small", {}, visible(version ?? ""))));
  const stages = byStage ? model.stages.filter((stage) => rules.some((rule) => model.rules[rule].stage === stage)) : [];
  return el("tbody", {}, row(head, rules, ""), stages.map((stage) =>
    row(el("th", { scope: "row" }, visible(stage)), rules.filter((rule) => model.rules[rule].stage === stage), stage)));
}

function overviewCell(model, adapter, provider, rules, stage) {
  const cells = rules.map((rule) => cellAt(model, adapter, provider, rule)).filter(Boolean);
  if (!cells.length) return null;
  const tally = tallyOf(model, cells);
  const [id, name] = [model.adapters[adapter].id, model.providers[provider]];
  const place = `${visible(id)} on ${visible(name)}${stage && `, ${visible(stage)}`}`;
  const label = `${tally.worst.words}: ${tally.passed} of ${tally.judged} rules pass, ${place}`;
  const count = tally.judged ? `${tally.worst.glyph} ${tallyText(tally)}` : tallyText(tally);
  return el("button", {
    type: "button", class: `sum ${tally.judged ? tally.worst.kind : "none"}`, "aria-label": label,
    "data-adapter": id, "data-provider": name, "data-stage": stage,
  }, el("span", { class: "count" }, count), !stage && bar(tally));
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
