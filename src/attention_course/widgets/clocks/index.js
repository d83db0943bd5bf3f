// Positions as clocks: one dial for each pair of features, and the score over the distance.
import { drawChart } from "../chart/chart.js";
import { readout, tag, svg } from "../kit/elements.js";
import { formatNumber } from "../kit/numbers.js";
import { createShell } from "../kit/shell.js";
import { hands, look } from "./maths.js";

/** What is seen, in words. @param {import("./maths.js").State} state @param {ReturnType<typeof look>} now @param {number} further */
export function tell({ kind, query_at, key_at }, now, further) {
  const same = Math.abs(now.score - now.moved) < 5e-4;
  const steps = Math.abs(now.distance) === 1 ? "1 step" : `${Math.abs(now.distance)} steps`;
  const where =
    now.distance === 0
      ? "at the query's own position"
      : now.distance > 0
        ? `${steps} before the query`
        : `${steps} after the query`;
  const moved = same ? "it stays the same" : `it is ${formatNumber(now.moved)}`;
  const why =
    kind === "sinusoidal"
      ? "The score depends on both places."
      : "With this content, only the distance counts.";
  return `The query stands at ${query_at}, the key at ${key_at}: ${where}. Their score is ${formatNumber(now.score)}. Move both ${further} further on, and ${moved}. ${why}`;
}

/** A hand from the middle of a dial. @param {string} name @param {number} angle @param {number} length */
function hand(name, angle, length) {
  return svg("line", {
    class: name,
    x1: 0,
    y1: 0,
    x2: (length * Math.cos(angle)).toFixed(2),
    y2: (-length * Math.sin(angle)).toFixed(2),
  });
}

/** The dial of one pair. @param {ReturnType<typeof hands>} at @param {number} part @param {number} p */
function dial(at, part, p) {
  const picture = svg(
    "svg",
    { viewBox: "-50 -50 100 100", class: "ac-clocks-dial", "aria-hidden": "true" },
    svg("circle", { class: "ac-clocks-rim", cx: 0, cy: 0, r: 46 }),
    hand("ac-clocks-ghost", at.queryAtZero, 42),
    hand("ac-clocks-ghost", at.keyAtZero, 30),
    hand("ac-clocks-key", at.key, 30),
    hand("ac-clocks-query", at.query, 42),
  );
  const words = tag(
    "span.ac-clocks-part",
    readout(`part-${p}`, part),
    `pair ${p + 1}: ${formatNumber(part, 2)}`,
  );
  return tag("li", picture, words);
}

/** @param {import("./maths.js").State} state @param {ReturnType<typeof look>} now @param {number} reach @returns {import("../chart/layout.js").Chart} */
function curveChart(state, now, reach) {
  const top = state.kind === "sinusoidal" ? 2.2 * Math.sqrt(state.d) : 0.6 * Math.sqrt(state.d);
  const low = state.kind === "alibi" ? -top - 2 : -top;
  return {
    title: "The score, over how far back the key stands",
    x: {
      type: "linear",
      range: [0, reach],
      title: "distance i − j",
      ticks: [0, 1, 2, 3, 4]
        .map((i) => (i * reach) / 4)
        .map((at) => ({ at, text: String(at) })),
    },
    y: { type: "linear", range: [low, top], title: "score" },
    series: [
      {
        kind: "line",
        colour: { role: "score" },
        x: now.seen.map((at) => state.query_at - at),
        y: now.curves,
      },
    ],
    rules:
      now.distance >= 0 && now.distance <= reach
        ? [
            {
              axis: "x",
              at: now.distance,
              dash: "solid",
              colour: { role: "key" },
              text: "the key",
            },
          ]
        : [],
    plain: true,
    height: 220,
  };
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, {
    title: "Clocks, rotation and distance",
    controls: "above",
  });
  const { limits } = shell;
  /** @type {import("./maths.js").Constants} */
  const constants = /** @type {any} */ (limits.constants);
  shell.controls.classList.add("ac-clocks-controls");
  shell.offer("kind", "Positions");
  shell.offer("content", "Key's content");
  shell.offer("d", "Width d");
  shell.offer("query_at", "Query at i");
  shell.offer("key_at", "Key at j");

  const dials = tag("ul.ac-clocks-dials", {
    "aria-label": "One dial for each pair of features",
  });
  const legend = tag(
    "p.ac-clocks-legend",
    tag("span.ac-clocks-name-query", "long hand: query"),
    " · ",
    tag("span.ac-clocks-name-key", "short hand: key"),
    " · dashed: at position 0 · below: the pair's part of the score",
  );
  const right = tag("div");
  shell.picture.append(dials, legend, right);
  const chart = drawChart(right);
  const marks = ["distance", "score", "moved"].map((name) =>
    tag("span.ac-offscreen", { "data-readout": name, "aria-hidden": true }),
  );
  const curve = tag("span.ac-offscreen", { "aria-hidden": true });
  shell.picture.append(...marks, curve);

  shell.show(() => {
    const state = shell.state();
    const now = look(state, constants);
    dials.replaceChildren(
      ...now.parts.map((part, p) => dial(hands(state, constants, p), part, p)),
    );
    [now.distance, now.score, now.moved].forEach(
      (value, n) => (marks[n].dataset.value = String(value)),
    );
    curve.replaceChildren(
      ...now.curves.map((value, n) => tag("span", readout(`curve-${n}`, value))),
    );
    chart.update(curveChart(state, now, constants.reach));
    shell.say(tell(state, now, constants.further));
  });
  shell.onDestroy(chart.destroy);
  return shell.destroy;
}

export default { render };
