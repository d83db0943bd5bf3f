import { choices, range } from "../kit/limits.js";
import { drawn, query, respond, tell, weigh } from "./maths.js";
import { formatNumber } from "../kit/numbers.js";
import { radioControl, sliderControl } from "../kit/controls.js";
import { make, svg } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

/** @typedef {import("./maths.js").ByScore} ByScore */
/** @typedef {import("./maths.js").Draws} Draws */

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "How scores respond" });
  const { limits } = shell;
  /** @type {import("./maths.js").Constants} */
  const constants = /** @type {any} */ (limits).constants;
  const { min, max } = limits.angle;
  const angles = Array.from({ length: 73 }, (_, i) => min + (i * (max - min)) / 72);
  const degrees = (/** @type {number} */ x) => `${x}°`.replace("-", "−");
  shell.add(
    sliderControl({
      label: "Angle of the query",
      ...range(limits.angle),
      step: 5,
      format: degrees,
    }),
    "angle",
  );
  shell.add(
    sliderControl({ label: "Length of the query", ...range(limits.length), log: true }),
    "length",
  );
  shell.add(radioControl({ label: "Width d", options: choices(limits.d) }), "d");
  shell.add(
    sliderControl({ label: "Strength β of the cosine", ...range(limits.beta), log: true }),
    "beta",
  );
  shell.add(
    sliderControl({
      label: "Other keys and matrices",
      ...range(limits.seed),
      step: 1,
      format: (x) => `seed ${x}`,
    }),
    "seed",
  );
  const dial = make("div", "ac-score-dial");
  const table = make("table", "ac-table ac-score-table");
  shell.picture.append(dial, table);

  /** @type {Draws | null} */
  let draws = null;
  let from = "";
  shell.show(() => {
    const { angle, length, d, beta, seed } = shell.state();
    if (from !== `${d} ${seed}` || !draws) {
      draws = drawn(d, seed, constants);
      from = `${d} ${seed}`;
    }
    const known = draws;
    const scores = respond(known, query(known, angle, length), beta);
    const weights = weigh(scores);
    const turns = angles.map((t) => weigh(respond(known, query(known, t, length), beta)));
    dial.replaceChildren(
      picture(angle, length, known.second),
      explain(known.second, degrees(min), degrees(max)),
    );
    table.replaceChildren(
      make(
        "thead",
        "",
        {},
        make(
          "tr",
          "",
          {},
          ...Array.from({ length: 1 + constants.N_KEYS }, (_, j) =>
            make("th", "", { scope: "col" }, j ? `k${j}` : "score"),
          ),
        ),
      ),
      make(
        "tbody",
        "",
        {},
        ...constants.scores.map(([name, label]) =>
          row(name, label, scores[name], weights[name], turns, (angle - min) / (max - min)),
        ),
      ),
    );
    shell.say(tell(known, scores, weights));
  });
  return shell.destroy;
}

/**
 * The plane of keys 1 and 2 with the query in it.
 * @param {number} angle @param {number} length @param {number} second
 */
function picture(angle, length, second) {
  const arrow = (
    /** @type {number} */ at,
    /** @type {number} */ size,
    /** @type {string} */ role,
    /** @type {string} */ text,
  ) => {
    const turned = (at * Math.PI) / 180;
    const [x, y] = [size * Math.cos(turned), -size * Math.sin(turned)];
    return svg(
      "g",
      { class: `ac-score-${role}` },
      svg("line", { x1: 0, y1: 0, x2: x, y2: y }),
      role === "query"
        ? svg("circle", { cx: x, cy: y, r: 4 })
        : svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
      svg(
        "text",
        {
          x: x + 7 * Math.sign(x || 1),
          y: y + (y > 0 ? 14 : -7),
          "text-anchor": x < 0 ? "end" : "start",
        },
        text,
      ),
    );
  };
  const drawnLength = 14 + 24 * Math.sqrt(length);
  return svg(
    "svg",
    { viewBox: "-84 -84 168 168", class: "ac-score-plane", "aria-hidden": "true" },
    svg("circle", { r: 38, class: "ac-score-ring" }),
    arrow(0, 38, "key", "k1"),
    arrow(second, 38, "key", "k2"),
    arrow(angle, drawnLength, "query", "q"),
  );
}

/** @param {number} second @param {string} from @param {string} to */
function explain(second, from, to) {
  return make(
    "p",
    "ac-hint",
    {},
    `The query turns in the plane of k1 and k2 (${second.toFixed(0)}° apart); the other keys are drawn at random. Large: weights. Small: scores. The curve shows the weight of k1 at every angle, from ${from} to ${to}.`,
  );
}

/**
 * @param {string} name @param {string} label @param {number[]} scores @param {number[]} weights
 * @param {ByScore[]} turns @param {number} now where the angle is among them, from 0 to 1
 */
function row(name, label, scores, weights, turns, now) {
  const cells = weights.map((w, j) =>
    make(
      "td",
      "ac-score-cell",
      { style: `--ac-fill:${(100 * w).toFixed(1)}%` },
      make(
        "span",
        "ac-score-weight",
        { "data-readout": `weight-${name}-${j}`, "data-value": w },
        w.toFixed(2),
      ),
      make(
        "span",
        "ac-score-score",
        { "data-readout": `score-${name}-${j}`, "data-value": scores[j] },
        formatNumber(scores[j]),
      ),
    ),
  );
  return make(
    "tr",
    "",
    {},
    make(
      "th",
      "",
      { scope: "row" },
      make("span", "ac-score-name", {}, label),
      curve(name, turns, now),
    ),
    ...cells,
  );
}

/** @param {string} name @param {ByScore[]} turns @param {number} now */
function curve(name, turns, now) {
  const across = (/** @type {number} */ at) => at * 96 + 2;
  const up = (/** @type {number} */ w) => 26 - 24 * w;
  const path = turns
    .map(
      (weights, i) =>
        `${i ? "L" : "M"}${across(i / (turns.length - 1)).toFixed(1)} ${up(weights[name][0]).toFixed(2)}`,
    )
    .join("");
  const x = across(now);
  return svg(
    "svg",
    { viewBox: "0 0 100 28", class: "ac-score-curve", "aria-hidden": "true" },
    svg("line", { x1: 2, x2: 98, y1: 26, y2: 26, class: "ac-score-axis" }),
    svg("line", { x1: x, x2: x, y1: 2, y2: 26, class: "ac-score-now" }),
    svg("path", { d: path }),
  );
}

export default { render };
