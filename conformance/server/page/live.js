"use strict";
(() => {
// The exchanges as they come. What clients sent reaches the page only as text, never as markup.

const EVERY = 1000;
const MOST = 300;
const COUNTS = { exchanges: "exchanges", with_findings: "with findings", refused: "refused", errors: "errors", streams: "streams", faults: "faults" };

const part = (id) => document.getElementById(id);
const list = part("list");
const providers = new Set();
let last = 0;
let started = null;
let paused = false;

/** A new element with a class and children; text stays text. */
function el(name, look, ...children) {
  const element = document.createElement(name);
  if (look) element.className = look;
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

function text(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

function row(exchange) {
  const wrong = exchange.findings.length;
  const bad = exchange.refused || exchange.status >= 400;
  const scenario = exchange.scenario ? `${exchange.scenario}${exchange.answer ? ` · answer ${exchange.answer}` : ""}` : "no scenario";
  const notes = [exchange.client, exchange.streaming ? "stream" : "", exchange.session ? `session ${exchange.session}` : "",
    exchange.fault ? `fault ${exchange.fault}` : "", wrong ? `${wrong} finding${wrong > 1 ? "s" : ""}` : ""].filter(Boolean);
  const what = el("span", "what", el("b", "", exchange.provider), ` ${scenario} `, el("small", "", notes.join(" · ")));
  const summary = el("summary", "", el("span", "number", `#${exchange.number}`),
    el("span", `status ${bad ? "fail" : wrong ? "warn" : ""}`, String(exchange.status)),
    what, el("span", "when", new Date(exchange.time).toLocaleTimeString()));
  const details = el("details", "", summary);
  details.dataset.provider = exchange.provider;
  details.dataset.wrong = String(bad || wrong > 0);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(inside(exchange));
  });
  return details;
}

function inside(exchange) {
  return el("div", "inside",
    exchange.problem ? el("p", "problem", exchange.problem) : null,
    exchange.warning ? el("p", "problem", exchange.warning) : null,
    ...exchange.findings.map(finding),
    el("h3", "", `${exchange.request.method} ${exchange.request.url}`), pre(exchange.request.headers),
    el("h3", "", "Body of the request"), body(exchange),
    el("h3", "", `Answer: ${exchange.status}, ${exchange.response.bytes} bytes in ${exchange.response.chunks} chunks`), pre(exchange.response.text));
}

function finding(item) {
  const values = [["at", item.at || "/"], ["expected", text(item.expected)], ["found", text(item.found)]];
  const rows = values.flatMap(([name, value]) => [el("dt", "", name), el("dd", "", value)]);
  return el("div", `finding ${item.refused ? "refused" : ""}`, el("p", "", el("b", "", item.rule), ` ${item.level}, ${item.refused ? "refused" : item.consequence}`), el("dl", "", ...rows));
}

function pre(value) {
  return el("pre", "", text(value) ?? "");
}

/** The body as JSON, with what the findings point at marked. */
function body(exchange) {
  const places = new Set(exchange.findings.map((item) => item.at).filter(Boolean));
  const box = el("pre", "");
  write(box, exchange.request.body, "", "", places);
  return box;
}

function write(box, value, at, indent, places) {
  const target = places.has(at) ? el("mark", "") : box;
  if (target !== box) box.append(target);
  if (value === null || typeof value !== "object" || Object.keys(value).length === 0) {
    target.append(typeof value === "string" && at === "" ? value : JSON.stringify(value) ?? "");
    return;
  }
  const array = Array.isArray(value);
  const entries = Object.entries(value);
  target.append(array ? "[" : "{");
  entries.forEach(([key, item], place) => {
    target.append(`\n${indent}  ${array ? "" : `${JSON.stringify(key)}: `}`);
    write(target, item, `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, `${indent}  `, places);
    if (place < entries.length - 1) target.append(",");
  });
  target.append(`\n${indent}${array ? "]" : "}"}`);
}

function count(counts) {
  part("counts").replaceChildren(...Object.entries(COUNTS).map(([name, words]) => el("div", "", el("dt", "", words), el("dd", "", String(counts[name])))));
}

function offer(provider) {
  if (providers.has(provider)) return;
  providers.add(provider);
  const option = el("option", "", provider);
  option.value = provider;
  part("provider").append(option);
}

function sift() {
  const provider = part("provider").value;
  const wrong = part("wrong").checked;
  for (const item of list.children) {
    item.hidden = (provider !== "" && item.dataset.provider !== provider) || (wrong && item.dataset.wrong !== "true");
  }
}

function show(found) {
  if (started !== null && started !== found.server.started) { list.replaceChildren(); last = 0; started = null; return; }
  started = found.server.started;
  count(found.counts);
  part("warnings").replaceChildren(...found.warnings.map((item) => el("p", "problem", `${item.text} (${item.times} times)`)));
  for (const exchange of found.exchanges.toReversed()) {
    last = Math.max(last, exchange.number);
    offer(exchange.provider);
    list.prepend(row(exchange));
  }
  while (list.children.length > MOST) list.lastChild.remove();
  part("empty").hidden = list.children.length > 0;
  if (found.exchanges.length) sift();
  part("state").textContent = `${found.server.lenient ? "lenient" : "strict"}, ${found.server.profile} profile, version ${found.server.version}`;
  part("state").className = "";
}

async function ask() {
  if (!paused) {
    try {
      const answer = await fetch(`/conformance/findings?since=${last}`, { cache: "no-store" });
      show(await answer.json());
    } catch {
      part("state").textContent = "The server does not answer.";
      part("state").className = "lost";
    }
  }
  setTimeout(ask, EVERY);
}

part("provider").addEventListener("change", sift);
part("wrong").addEventListener("change", sift);
part("bar").addEventListener("submit", (event) => event.preventDefault());
part("pause").addEventListener("click", (event) => {
  paused = !paused;
  event.currentTarget.setAttribute("aria-pressed", String(paused));
  event.currentTarget.textContent = paused ? "Go on" : "Pause";
});
part("empty").querySelector("code").textContent = `${location.origin}/p/<provider>`;
ask();
})();
