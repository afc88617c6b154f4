// A library: the verdict in words, what breaks and why, its versions, and every rule.

async function libraryView(model, { parts: [id], params }) {
  const adapter = model.adapters.find((one) => one.id === id);
  if (!adapter) return unknown(model, "library", id, model.adapters.map((one) => one.id), "library");
  const [details, words] = await Promise.all([detailsOf(model, adapter), wordedRules(model)]);
  const on = stateOf(model, adapter, params).on;
  const alone = model.adapters.length === 1;
  const judged = details.findings.length > 0;
  const causes = causesView(model, details, on).filter(Boolean);
  return { title: adapter.title, nodes: [
    el("p", { class: "hint" }, facts(adapter)),
    alone && [el("p", { class: "lead" }, `Scripted providers held conversations with it. What it sent and understood was judged `
      + `by ${plural(model.rules.length, "rule")} with public sources.`), el("p", { class: `verdict ${model.run.conforms ? "pass" : "fail"}` }, model.run.conclusion), notices(model)],
    el("ul", { class: "sentences" }, sentencesOf(model, adapter, on)),
    alone && model.first && el("p", { class: "mend" }, visible(model.first)),
    versions(model, adapter), legend(model),
    on.length > 0 && el("p", {}, `Only ${on.map(visible).join(", ")}. `, inward("", libraryHash(adapter), "All providers")),
    judged && [el("h2", {}, "What breaks, and why"), findingsView(model, details, on)],
    causes.length > 0 && (judged
      ? el("details", { class: "about" }, el("summary", {}, "The same by cause, as the run found it"), causes)
      : [el("h2", {}, "What breaks, and why"), causes]),
    el("h2", {}, "Every rule"),
    matrixView(model, adapter, words, params, (state) => remember("library", [adapter.id], state)),
    badge(adapter), alone && aboutRun(model),
  ] };
}

function facts(adapter) {
  return [[adapter.kind, adapter.language].filter(Boolean).map(visible).join(", "),
    adapter.homepage && [" · ", outward(adapter.homepage, "homepage")],
    adapter.issues && [" · ", outward(adapter.issues, "issues")]];
}

/** What becomes of its users: providers of which the same is to be said share a sentence. */
function sentencesOf(model, adapter, on) {
  const told = new Map();
  for (const column of adapter.columns) {
    const name = model.providers[column.provider];
    if (on.length && !on.includes(name)) continue;
    told.set(column.told, [...(told.get(column.told) ?? []), column]);
  }
  return [...told].map(([words, columns]) => el("li", { class: KIND_OF[columns[0].standing] },
    columns.map((column, number) => [number > 0 && ", ",
      inward("", providerHash(model.providers[column.provider]), visible(model.providers[column.provider]))]),
    `: ${visible(words)}`));
}

function versions(model, adapter) {
  const others = siblingsOf(model, adapter);
  return others.length > 0 && el("p", { class: "buttons" }, others.map((other) =>
    inward("quiet", compareHash(...[adapter, other].sort((a, b) => a.number - b.number)), `Beside ${visible(other.title)}`)));
}

/** The badge of a library, and the line that shows it elsewhere. A page that is one file has none beside it. */
function badge(adapter) {
  if (document.body.dataset.where !== "folder") return null;
  const place = location.protocol.startsWith("http") ? new URL(".", location.href).href : "https://example.org/";
  const image = `badges/${adapter.badge}.svg`;
  const text = `[![tool calling](${place}${image})](${place}${libraryHash(adapter)})`;
  return el("details", { class: "about" }, el("summary", {}, "Badge"),
    el("p", {}, el("img", { src: image, loading: "lazy", alt: `Badge of ${visible(adapter.title)}`, height: "20" })), command(text));
}
