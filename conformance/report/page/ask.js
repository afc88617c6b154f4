// "I use … and need …": a question in two clicks, and a ranked answer with why.

const WHY = 2;

/** The question, and the answer below it. What is asked is in the address. */
async function askView(model, params) {
  const only = model.providers.length === 1 ? model.providers : [];
  let provider = [params.get("on"), ...only].find((name) => model.providers.includes(name)) ?? "";
  let needs = [STREAMING, ...model.needs].filter((need) => params.getAll("need").includes(need));
  const answer = el("div", { class: "answer", "aria-live": "polite" });
  const draw = async () => {
    for (const chip of providers) press(chip, chip.value === provider);
    for (const chip of wants) press(chip, needs.includes(chip.value));
    answer.replaceChildren(...(provider ? await answersView(model, provider, needs) : []));
  };
  const changed = () => {
    remember("", [], { on: provider, need: needs });
    return draw();
  };
  const providers = model.providers.map((name) => button("chip", () => {
    provider = provider === name ? "" : name;
    return changed();
  }, { value: name }, visible(name)));
  const wants = [STREAMING, ...model.needs].map((need) => button("chip", () => {
    needs = needs.includes(need) ? needs.filter((other) => other !== need) : [...needs, need];
    return changed();
  }, { value: need }, need));
  await draw();
  return el("section", { class: "ask", "aria-label": "Which library" },
    el("div", { class: "chips", role: "group", "aria-label": "I use" }, el("b", {}, "I use"), providers),
    el("div", { class: "chips", role: "group", "aria-label": "and need" }, el("b", {}, "and need"), wants),
    answer);
}

async function answersView(model, provider, needs) {
  const answers = ranked(model, model.providers.indexOf(provider), needs);
  const rules = await wordedRules(model);
  return [el("p", { class: "best" }, bestWords(model, answers)),
    el("ol", { class: "answers" }, answers.map((answer) => answerView(model, rules, answer, provider, needs)))];
}

/** The answer in one sentence. */
function bestWords(model, answers) {
  const able = answers.filter(({ lacks, untried }) => !lacks.length && !untried.length);
  const fine = able.filter(({ verdict }) => verdict === FINE);
  const names = (some) => some.slice(0, 3).map(({ column }) => visible(model.adapters[column.adapter].title)).join(", ");
  const more = (some) => (some.length > 3 ? ` and ${some.length - 3} more` : "");
  if (!able.length) return "None that was tried offers all of this.";
  if (fine.length) return `Nothing breaks in ${fine.length} of ${plural(answers.length, "library")}: ${names(fine)}${more(fine)}.`;
  return `No library is without a remark, of ${answers.length}. The best: ${names(able.slice(0, 1))}, ${verdictWords(able[0])[1]}.`;
}

/** Who asks about streams alone knows where it shows. */
function waysHint(needs, faults) {
  return needs.includes(STREAMING) ? "" : `, ${waysWords(faults)}`;
}

function answerView(model, rules, answer, provider, needs) {
  const adapter = model.adapters[answer.column.adapter];
  const [kind, words] = verdictWords(answer);
  const shown = answer.faults.slice(0, WHY);
  const left = answer.faults.length - shown.length;
  const hash = libraryHash(adapter, { on: provider });
  return el("li", { class: `answer-of ${kind}` },
    el("p", {}, inward("name", hash, visible(adapter.name), " ", el("small", {}, visible(adapter.version ?? ""))),
      el("span", { class: `verdict ${kind}` }, words),
      answer.faults.length > 0 && el("span", { class: "hint" },
        `${plural(answer.faults.length, "rule")}${waysHint(needs, answer.faults)}`)),
    shown.length > 0 && el("ul", { class: "why" }, shown.map((fault) =>
      el("li", {}, glyphOf(model.outcomes[fault.outcome]), " ",
        inward("", cellHash(model, answer.column, rules[fault.rule]), "breaks: ", coded(rules[fault.rule].statement)),
        el("span", { class: "hint" }, fault.whole && fault.streamed ? "" : waysHint(needs, [fault])))),
      left > 0 && el("li", {}, inward("", hash, `and ${plural(left, "rule")} more`))));
}
