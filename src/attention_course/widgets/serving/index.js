// A server and its readers: choose how requests share one GPU, and see who waits for what.
import { formatNumber, thousands } from "../kit/numbers.js";
import { readout, svg, tableWith, tag } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";
import { play } from "./maths.js";

/** @typedef {import("./maths.js").State} State */
/** @typedef {import("./maths.js").Constants} Constants */

const [WIDE, ROW, LEFT] = [640, 11, 4];
const PAUSE = 0.05; // a longer one, in seconds, is seen in a row
/** @type {Record<string, string>} */
const UNITS = {
  first: " s",
  slow: " s",
  token: " ms",
  stall: " ms",
  kept: " %",
  blocks: " %",
  fetching: " %",
  computing: " %",
  exchanging: " %",
  energy: " kWh",
};
export const inUnits = (/** @type {string} */ name, /** @type {number} */ x) =>
  (name === "cost" ? "$" : "") + formatNumber(x) + /** @type {any} */ (UNITS[name] ?? "");
export const namesOf = (/** @type {any} */ limits) => ({
  prompts: limits.prompts.options,
  layouts: limits.gpus.options,
});

/** What the picture shows, in words. @param {State} state @param {ReturnType<typeof play>} played */
export function tell({ way, cache, gpus }, { requests, now, room }) {
  const how =
    way === "one by one"
      ? "one request after the other"
      : way === "in batches"
        ? "in batches"
        : "room that is free is taken in the next step";
  const said = (/** @type {string} */ name) => inUnits(name, now[name]);
  const held =
    gpus === "one GPU"
      ? ` with ${cache} GB of cache`
      : gpus === "two GPUs, one model"
        ? `, with ${formatNumber(room / 1e9)} GB of cache together`
        : `, with ${cache} GB of cache on each`;
  return `${gpus[0].toUpperCase()}${gpus.slice(1)}${held}, ${how}: half of the ${requests.length} readers see their first token within ${said("first")}, 99 of 100 within ${said("slow")}. Half of the answers take at most ${said("token")} a token; the longest pause is ${said("stall")}. Both limits are kept by ${said("kept")}. Blocks were lost ${said("lost")} times.`;
}

/** A mark of the picture, cut at the window's ends. @param {string} name @param {number} from @param {number} to @param {number} y @param {number} high @param {(t: number) => number} place */
function bar(name, from, to, y, high, place) {
  const [a, b] = [place(from), place(to)];
  return b > a
    ? [
        svg("rect", {
          class: `ac-serve-${name}`,
          x: a.toFixed(1),
          y: y - high / 2,
          width: (b - a).toFixed(1),
          height: high,
        }),
      ]
    : [];
}

/** The time that the picture shows, in seconds, and when it begins. @param {import("./maths.js").Request[]} requests @param {Constants} constants */
function windowOf(requests, { shown: [low, high] }) {
  const begin = requests[low].came;
  return { begin, span: requests[high - 1].came - begin + 4 };
}

/** Why the picture shows nothing but waiting, if so. @param {ReturnType<typeof play>} played @param {Constants} constants */
export function onlyWaiting({ requests, fared, together }, constants) {
  const [low, high] = constants.shown;
  const { begin, span } = windowOf(requests, constants);
  const first = Math.min(...fared.slice(low, high).map(({ began }) => began)) - begin;
  if (first < span) return "";
  return `All ${high - low} wait for longer than is shown: the first prompt is read after ${formatNumber(first)} s. No server had room for more than ${together} requests at a time, and others are ahead in the queue.`;
}

/** One row a request: it waits, its prompt is read, its answer written. @param {import("./maths.js").Request[]} requests @param {import("./maths.js").Fared[]} fared @param {Constants} constants */
function timeline(requests, fared, constants) {
  const [low, high] = constants.shown;
  const { begin, span } = windowOf(requests, constants);
  const place = (/** @type {number} */ t) =>
    LEFT + (WIDE - 2 * LEFT) * Math.min(1, Math.max(0, (t - begin) / span));
  const tall = ROW * (high - low) + 22;
  const rows = requests.slice(low, high).flatMap(({ came }, i) => {
    const { began, times } = fared[low + i];
    const y = ROW * (i + 0.5);
    const ends = times.flatMap((time, n) => (times[n + 1] - time <= PAUSE ? [] : [n]));
    return [
      ...bar("waits", came, times[times.length - 1], y, 2, place),
      ...bar("reads", began, times[0], y, 9, place),
      ...ends.flatMap((n, part) =>
        bar("writes", times[part ? ends[part - 1] + 1 : 0], times[n], y, 5, place),
      ),
    ];
  });
  const step = span > 12 ? 5 : span > 6 ? 2 : 1;
  const ticks = Array.from({ length: Math.floor(span / step) + 1 }, (_, i) => i * step).flatMap(
    (t) => {
      const x = place(begin + t).toFixed(1);
      return [
        svg("line", { class: "ac-serve-tick", x1: x, x2: x, y1: 0, y2: tall - 18 }),
        svg(
          "text",
          { class: "ac-serve-time", x, y: tall - 4, "text-anchor": t ? "middle" : "start" },
          t ? `${t} s` : "0",
        ),
      ];
    },
  );
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDE} ${tall}`, class: "ac-serve-picture", "aria-hidden": "true" },
    ...ticks,
    ...rows,
  );
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Few GPUs, many readers" });
  const { limits } = shell;
  const constants = /** @type {Constants} */ (/** @type {any} */ (limits).constants);
  shell.offer("way", "Serve");
  shell.offer("cache", "Cache", { format: (n) => `${n} GB` });
  shell.offer("budget", "Tokens a step", { format: thousands });
  shell.offer("speed", "Requests come", {
    format: (n) => (n === 1 ? "as they came" : `${n} times as fast`),
  });
  shell.offer("short", "If full");
  shell.offer("prompts", "Prompts");
  shell.offer("gpus", "GPUs");
  shell.offer("window", "Requests", {
    format: (n) =>
      `${thousands((n - 1) * constants.played + 1)} to ${thousands(n * constants.played)}`,
  });

  const [picture, note] = [tag("div"), tag("p")];
  const part = (/** @type {string} */ name, /** @type {string} */ text) =>
    tag(
      "li",
      svg(
        "svg",
        { viewBox: "0 0 24 11", class: "ac-serve-swatch", "aria-hidden": "true" },
        ...bar(name, 0, 24, 5.5, { waits: 2, reads: 9, writes: 5 }[name] ?? 0, (t) => t),
      ),
      text,
    );
  const key = tag(
    "ul.ac-serve-key",
    part("waits", "waits, or lost its blocks"),
    part("reads", "its prompt is read"),
    part("writes", "its answer is written"),
  );
  const measure = tag("span.ac-offscreen", "measure");
  const { table, body } = tableWith(".ac-serve-table", [measure, "now", "one change ago"]);
  shell.picture.append(picture, note, key, table);
  /** @type {Record<string, number> | null} */
  let before = null;
  /** @type {Record<string, number> | null} */
  let last = null;

  shell.show(() => {
    const state = /** @type {State} */ (shell.state());
    const played = play(state, constants, namesOf(limits));
    const { requests, fared, now } = played;
    if (last && JSON.stringify(last) !== JSON.stringify(now)) before = last;
    last = now;
    picture.replaceChildren(timeline(requests, fared, constants));
    note.textContent = onlyWaiting(played, constants);
    note.hidden = !note.textContent;
    body.replaceChildren(
      ...constants.measures.map(([name, words]) =>
        tag(
          "tr",
          tag("th", { scope: "row" }, words),
          tag("td", readout(name, now[name]), inUnits(name, now[name])),
          tag("td.ac-serve-before", before ? inUnits(name, before[name]) : "–"),
        ),
      ),
    );
    shell.say(tell(state, played));
  });
  return shell.destroy;
}

export default { render };
