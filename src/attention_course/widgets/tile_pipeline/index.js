// A tile on the units of a multiprocessor: who works when, for which tile.
import { choices } from "../kit/limits.js";
import { readout, svg, tableWith, tag } from "../kit/elements.js";
import { thousands } from "../kit/numbers.js";
import { createShell } from "../kit/shell.js";
import { percent, play, tell, UNITS, works } from "./maths.js";

/** @typedef {import("./maths.js").State} State */
/** @typedef {import("./maths.js").Constants} Constants */
/** @typedef {ReturnType<typeof play>} Played */

const [ROW, TOP, BAR] = [48, 4, 24];
/** The letter of each step. @type {Record<import("./maths.js").What, [string, string]>} */
const LETTERS = {
  keys: ["K", "keys come"],
  values: ["V", "values come"],
  scores: ["S", "scores"],
  contexts: ["C", "contexts"],
  exponentials: ["E", "exponentials"],
  search: ["M", "largest score"],
  rest: ["A", "other arithmetic"],
  rescale: ["R", "rescaling"],
};

/** A row for each unit, from the end of a block on. @param {Played} played @param {number} shown @param {number} wide */
function timeline(played, shown, wide) {
  const { steps, begin } = played;
  const x = (/** @type {number} */ t) =>
    (wide * Math.min(Math.max(t - begin, 0), shown)) / shown;
  const units = Object.entries(UNITS);
  const rows = units.flatMap(([unit, { name, does }], i) => {
    const y = TOP + ROW * i;
    const bars = steps
      .filter((s) => does.includes(s.what) && s.end > begin && s.start < begin + shown)
      .flatMap(({ what, tile, start, end }) => {
        const [from, width] = [x(start), x(end) - x(start)];
        const own = unit === "loads" ? "both" : tile;
        const box = { x: from.toFixed(1), y: y + 16, width: width.toFixed(1), height: BAR };
        const bar = svg("rect", { class: `ac-pipe-bar ac-pipe-${own}`, ...box });
        const at = { x: (from + width / 2).toFixed(1), y: y + 16 + BAR / 2 + 4 };
        return width < 11
          ? [bar]
          : [bar, svg("text", { class: "ac-pipe-letter", ...at }, LETTERS[what][0])];
      });
    const words = `${name.slice(4)}: ${works(unit, played)}`;
    return [
      svg("line", { class: "ac-pipe-base", x1: 0, x2: wide, y1: y + 40, y2: y + 40 }),
      svg("text", { class: "ac-pipe-unit", x: 0, y: y + 11 }, words),
      ...bars,
    ];
  });
  const foot = TOP + ROW * units.length;
  const ticks = Array.from({ length: shown / 2000 + 1 }, (_, i) => 2000 * i).map((t) =>
    svg(
      "text",
      {
        class: "ac-pipe-unit",
        x: x(begin + t),
        y: foot + 12,
        "text-anchor": t === 0 ? "start" : t === shown ? "end" : "middle",
      },
      t === shown ? `${thousands(t)} cycles` : thousands(t),
    ),
  );
  const size = { width: wide, height: foot + 18, viewBox: `0 0 ${wide} ${foot + 18}` };
  return svg(
    "svg",
    { class: "ac-pipe-picture", ...size, "aria-hidden": "true" },
    ...rows,
    ...ticks,
  );
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "A tile's pipeline", controls: "above" });
  shell.controls.classList.add("ac-pipe-controls");
  const { limits } = shell;
  const constants = /** @type {Constants} */ (/** @type {any} */ (limits).constants);
  const gpus = Object.fromEntries(
    choices(limits.device).map(({ value, text }) => [value, text]),
  );
  shell.offer("device", "GPU");
  shell.offer("d", "Width of a head");
  shell.offer("tiles", "In flight");
  shell.offer("polynomial", "Polynomial exponentials", { format: (n) => `${n} %` });
  shell.offer("ahead", "Next scores first");
  shell.offer("conditional", "Conditional rescaling");

  const chart = tag("div");
  const swatch = (/** @type {string} */ own, /** @type {string} */ text) =>
    tag("li", tag(`span.ac-pipe-swatch.ac-pipe-${own}`), text);
  const letters = Object.values(LETTERS).map(([letter, text]) =>
    tag("li", tag("b", letter), ` ${text}`),
  );
  const legend = tag(
    "ul.ac-pipe-legend",
    swatch("0", "first tile"),
    swatch("1", "second tile"),
    swatch("both", "for all tiles"),
    ...letters,
  );
  const measure = tag("span.ac-offscreen", "measure");
  const { table, body } = tableWith("", [measure, "now", "one change ago"]);
  const marks = Object.keys(UNITS).map((unit) =>
    tag("span.ac-offscreen", { "data-readout": `busy-${unit}`, "aria-hidden": true }),
  );
  shell.picture.append(chart, legend, table, ...marks);
  /** @type {Played["now"] | null} */
  let before = null;
  /** @type {Played["now"] | null} */
  let last = null;

  shell.show(() => {
    const state = /** @type {State} */ (shell.state());
    const played = play(state, constants);
    const { now } = played;
    if (last && JSON.stringify(last) !== JSON.stringify(now)) before = last;
    last = now;
    chart.replaceChildren(
      timeline(played, constants.shown, Math.max(240, chart.clientWidth || 640)),
    );
    Object.values(now.busy).forEach((x, i) => (marks[i].dataset.value = String(x)));
    const row = (
      /** @type {string} */ words,
      /** @type {"cycles" | "tflops" | "share"} */ name,
      /** @type {(x: number) => string} */ text,
    ) =>
      tag(
        "tr",
        tag("th", { scope: "row" }, words),
        tag("td", readout(name, now[name]), text(now[name])),
        tag("td", before ? text(before[name]) : "–"),
      );
    const whole = (/** @type {number} */ x) => thousands(Math.round(x));
    body.replaceChildren(
      row("cycles a block of keys", "cycles", whole),
      row("TFLOP/s at most", "tflops", whole),
      row("of the tensor cores' peak", "share", percent),
    );
    shell.say(tell(state, played, gpus[state.device]));
  });
  return shell.destroy;
}

export default { render };
