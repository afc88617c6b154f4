// Who serves a need: the libraries of a provider, ranked by what breaks for their users, with why.

const STREAMING = "streaming";

/** How bad it is, the worst first: what breaking rules does, then what is no fault, then nothing. */
const VERDICTS = [
  ["fail", "refused by the provider"], ["fail", "probably refused"], ["fail", "loses data"], ["fail", "works worse"],
  ["warn", "limits, no faults"], ["warn", "could be better"], ["pass", "nothing breaks"],
];
const [LIMITS, BETTER, FINE] = [4, 5, 6];

/** The bit of a need: the lowest bit is what every case has. */
function bitOf(model, need) {
  return 2 << model.needs.indexOf(need);
}

/** The columns of a provider, the best first: [{column, verdict, lacks, untried, faults}]. */
function ranked(model, provider, needs) {
  const own = model.columns.filter((column) => column.provider === provider);
  const answers = own.map((column) => answerOf(model, column, needs));
  return answers.sort((one, other) => {
    const order = [one, other].map(sortKey);
    const place = order[0].findIndex((value, number) => value !== order[1][number]);
    return place < 0 ? 0 : order[0][place] - order[1][place];
  });
}

function sortKey({ lacks, untried, verdict, faults }) {
  const worst = faults.filter((fault) => fault.verdict === verdict).length;
  return [lacks.length, untried.length, -verdict, worst, faults.length];
}

function answerOf(model, column, needs) {
  const streamed = needs.includes(STREAMING);
  const features = needs.filter((need) => need !== STREAMING);
  const wanted = features.reduce((bits, need) => bits | bitOf(model, need), 0) || 1;
  const faults = column.faults.flatMap((fault) => {
    const concerns = (streamed ? fault.streamed : fault.whole | fault.streamed) & wanted;
    return concerns ? [{ ...fault, verdict: verdictOf(model, fault), whole: !!(fault.whole & wanted), streamed: !!(fault.streamed & wanted) }] : [];
  }).sort((one, other) => one.verdict - other.verdict);
  const lacks = features.filter((need) => column.able >= 0 && !(column.able & bitOf(model, need)));
  if (streamed && column.able >= 0 && !(column.able & 1)) lacks.push(STREAMING);
  const untried = features.filter((need) => column.tried >= 0 && !(column.tried & bitOf(model, need)) && !lacks.includes(need));
  if (column.standing === "nothing") untried.push("anything");
  return { column, faults, lacks, untried, verdict: faults.length ? faults[0].verdict : FINE };
}

function verdictOf(model, fault) {
  const outcome = model.outcomes[fault.outcome];
  if (outcome.id === "limit") return LIMITS;
  return outcome.kind === "fail" ? fault.harm : BETTER;
}

/** What an answer comes to: its kind and its words. */
function verdictWords({ lacks, untried, verdict }) {
  if (lacks.length) return ["none", `does not offer ${lacks.join(", ")}`];
  if (untried.length) return ["none", `not tried: ${untried.join(", ")}`];
  return VERDICTS[verdict];
}

/** Where faults show: with whole answers, with streams, or both. */
function waysWords(faults) {
  const whole = faults.some((fault) => fault.whole);
  const streamed = faults.some((fault) => fault.streamed);
  if (whole && streamed) return "whole and streamed";
  return whole ? "whole answers only" : "streams only";
}
