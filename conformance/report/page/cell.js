// One cell: a library, a provider and a rule, with everything that is known of it.

async function cellView(model, { parts: [library, name, id] }) {
  const adapter = model.adapters.find((one) => one.id === library);
  const column = adapter?.columns.find((one) => model.providers[one.provider] === name);
  const rules = await wordedRules(model);
  const rule = rules.find((one) => one.id === id);
  const cell = column && rule && cellOf(model, await detailsOf(model, adapter), column, rule);
  if (!cell) return unknown(model, "cell", `${library}/${name}/${id}`, [], "cell");
  return { title: rule.id, nodes: [
    el("p", { class: `outcome ${cell.shown.kind}` }, glyphOf(cell.shown), ` ${capital(cell.shown.words)}: `,
      inward("", libraryHash(adapter), visible(adapter.title)), " on ", inward("", providerHash(name), visible(name))),
    steps(model, column, rule),
    el("p", { class: "statement" }, coded(rule.statement)),
    notes(cell).map((note) => el("p", { class: "notice" }, note)),
    cell.judged.map((finding) => el("div", { class: "notice judged" }, judgement(finding))),
    caseFacts(cell), el("p", {}, inward("", ruleHash(rule), "The rule, its sources and who keeps it")),
    failuresView(cell), issueView(adapter, name, rule, cell),
    namesView(`All ${plural(cell.failed.length, "case")} that did not pass`, cell.failed),
    namesView(`${plural(cell.scenarios.length, "scenario")} that exercised it`, cell.scenarios),
  ] };
}

/** Links to the troubled cells before and after this one, in the same library and provider. */
function steps(model, column, rule) {
  const troubled = model.rules.filter((one) => ["fail", "warn"].includes(outcomeAt(model, column, one.number)?.kind));
  const before = troubled.filter((one) => one.number < rule.number).at(-1);
  const after = troubled.find((one) => one.number > rule.number);
  if (!before && !after) return null;
  return el("nav", { class: "buttons", "aria-label": "What else breaks here" },
    before && inward("quiet", cellHash(model, column, before), "Previous"),
    after && inward("quiet", cellHash(model, column, after), "Next"));
}

/** What the outcome alone does not say: what the baseline expects, and why nothing was judged. */
function notes(cell) {
  const flags = {
    expected_fail: `The baseline expects this: ${cell.outcome.words}.`,
    oddity: "Only hosts that deviate from the provider make this show; the provider itself does not do it.",
    limit: "Somebody read all its failures, and none is a fault: it has no place for this, or decided so.",
    buffered: "Nothing is told before the whole stream was taken.",
    unexpected_pass: "The baseline expects a failure here, and nothing failed: its entry can go.",
  };
  const light = cell.light.length > 0 && cell.shown.id !== "oddity"
    && `${plural(cell.light.length, "case")} of it show on hosts alone that deviate from the provider.`;
  const why = cell.why && `${capital(cell.shown.words)}: ${visible(cell.why)}.`;
  return [flags[cell.shown.id], light, why].filter(Boolean);
}

function caseFacts(cell) {
  const cases = cell.cases.length ? cell.cases.map(({ count, words }) => `${count} ${words}`).join(", ") : "none";
  const facts = [["Cases", cases], ["Consequence", `${cell.consequence}: ${HARMS[cell.consequence]}`]];
  return el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function failuresView({ failures, failed }) {
  if (!failures.length) return null;
  const kept = new Set(failures.map((failure) => failure.case)).size;
  const heading = kept < failed.length
    ? `Failures of the first ${kept} of ${plural(failed.length, "case")}` : plural(failures.length, "failure");
  return [el("h2", {}, heading), failures.map((failure, number) => failureView(failure, number === 0))];
}

function issueView(adapter, provider, rule, cell) {
  if (!cell.failures.length) return null;
  const name = `${adapter.id}/${provider}/${rule.id}`;
  const words = /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  return [el("h2", {}, "Tell its maintainers"), command(`conformance explain ${words} --issue`)];
}

function namesView(heading, names) {
  if (!names.length) return null;
  return el("details", { class: "names" }, el("summary", {}, heading),
    el("ul", {}, names.map((name) => el("li", {}, inward("", scenarioHash(name.split("/")[0]), visible(name))))));
}
