// The first view: one sentence, the question, and libraries × providers.

async function homeView(model, { params }) {
  if (model.adapters.length === 1) return libraryView(model, { parts: [model.adapters[0].id], params });
  return { title: "Which library keeps tool calls right?", nodes: [
    el("p", { class: "lead" }, `${plural(model.adapters.length, "library")} held the same conversations with scripted `
      + `providers. What each sent and understood was judged by ${plural(model.rules.length, "rule")} with public sources.`),
    notices(model), siblingsLinks(model), legend(model),
    await askView(model, params),
    el("h2", {}, "Every library at every provider"),
    el("p", { class: "hint" }, "Rules that pass, of those that were judged. Each number leads to what breaks."),
    overviewTable(model),
    aboutRun(model),
  ] };
}

function notices(model) {
  const { run } = model;
  return [
    run.interrupted && el("p", { class: "notice warn" }, "Interrupted: this is what was seen until then."),
    run.baseline.map((line) => el("p", { class: "notice fail" }, visible(line))),
  ];
}

function overviewTable(model) {
  const head = el("tr", {}, el("th", { scope: "col", class: "first" }, "Library"), model.providers.map((name) =>
    el("th", { scope: "col" }, inward("provider", providerHash(name), breakable(name)))));
  const rows = model.adapters.map((adapter) => el("tr", {},
    el("th", { scope: "row" }, inward("name", libraryHash(adapter), visible(adapter.name), " ",
      el("small", {}, visible(adapter.version ?? "")))),
    model.providers.map((_, provider) => el("td", {}, sumLink(model, adapter, columnOf(model, adapter.number, provider))))));
  return tableBox("overview", "Libraries by provider", model.providers.length, head, el("tbody", {}, rows));
}

/** One sign for each kind: which of the failures it is, a cell says. */
const SIGNS = { fail: "✗", warn: "!", oddity: "o", expected: "x", pass: "✓", none: "" };

function sumLink(model, adapter, column) {
  if (!column) return null;
  const tally = tallyOf(model, outcomesOf(model, column));
  const name = model.providers[column.provider];
  const label = `${tally.worst.words}, ${tallyText(tally)} rules pass: ${visible(adapter.id)} on ${visible(name)}`;
  return el("a", { class: `sum ${tally.judged ? tally.worst.kind : "none"}`, href: libraryHash(adapter, { on: name }),
    "aria-label": label, title: visible(capital(column.told)) },
  el("span", { class: "count" }, el("span", { "aria-hidden": "true" }, SIGNS[tally.worst.kind]), ` ${tallyText(tally)}`), bar(tally));
}

function outcomesOf(model, column) {
  return model.rules.map((rule) => outcomeAt(model, column, rule.number)).filter(Boolean);
}

/** When, how much and by what. */
function aboutRun(model) {
  const { run } = model;
  const day = run.started.slice(0, 16).replace("T", " ");
  return el("details", { class: "about" },
    el("summary", {}, `${visible(day)} UTC · ${visible(run.effort)}`),
    el("p", {}, visible(run.suite)), run.notes.map((line) => el("p", {}, visible(line))), command(run.command));
}

/** Versions of one library, and others that call themselves the same. */
function siblingsOf(model, adapter) {
  const base = baseName(adapter);
  return model.adapters.filter((other) => other !== adapter && baseName(other) === base);
}

function baseName(adapter) {
  return adapter.name.split(" ")[0];
}

/** Links that lay versions of one library beside each other. */
function siblingsLinks(model) {
  const links = model.adapters.flatMap((adapter, number) => {
    const next = siblingsOf(model, adapter).find((other) => other.number > number);
    return next ? [inward("quiet", compareHash(adapter, next), `What changed from ${visible(adapter.title)} to ${visible(next.title)}`)] : [];
  });
  return links.length > 0 && el("p", { class: "buttons" }, links);
}
