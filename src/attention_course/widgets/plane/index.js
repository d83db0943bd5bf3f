import { attend, hull, nudge, snap, tell } from "./maths.js";
import { formatNumber } from "../kit/numbers.js";
import { readout, tag, svg } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

const SIZE = 340;

/** @typedef {import("./maths.js").Point} Point */

/** From the plane to the picture. @param {number} limit */
function placesIn(limit) {
  const unit = (SIZE / 2 - 12) / limit;
  return {
    across: (/** @type {number} */ x) => SIZE / 2 + x * unit,
    down: (/** @type {number} */ y) => SIZE / 2 - y * unit,
  };
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Attention in the plane" });
  shell.offer("score", "Score");
  shell.offer("temperature", "Temperature", { log: true });
  shell.controls.append(
    tag(
      "p.ac-hint",
      "Drag the points, or select one and use the arrow keys; with Shift they go further.",
    ),
  );

  const limit = shell.limits.query.item.max;
  const at = placesIn(limit);
  const picture = svg("svg", {
    viewBox: `0 0 ${SIZE} ${SIZE}`,
    class: "ac-plane",
    role: "group",
    "aria-label": "The plane",
  });
  const lines = svg("g", { "aria-hidden": "true" });
  const points = svg("g", {});
  picture.append(grid(at), lines, points);
  const rows = tag("table.ac-table.ac-plane-table");
  shell.picture.append(tag("div.ac-plane-frame", picture, rows));

  /** @type {Map<number, SVGElement>} */
  const handles = new Map();
  const place = (/** @type {number} */ i) =>
    /** @type {Point} */ (i < 0 ? shell.get("query") : shell.get("key_points")[i]);
  const move = (/** @type {number} */ i, /** @type {Point} */ to) => {
    if (i < 0) return shell.set({ query: to });
    shell.set({
      key_points: shell
        .get("key_points")
        .map((/** @type {Point} */ k, /** @type {number} */ j) => (j === i ? to : k)),
    });
  };
  const handle = (/** @type {number} */ i) => {
    const found = handles.get(i);
    if (found) return found;
    const role = i < 0 ? "query" : "key";
    const mark =
      role === "query"
        ? svg("circle", { r: 8 })
        : svg("rect", { x: -7, y: -7, width: 14, height: 14 });
    const made = svg(
      "g",
      {
        class: `ac-handle ac-handle-${role}`,
        tabindex: 0,
        role: "button",
        "aria-roledescription": "point to drag",
        "data-point": i < 0 ? "query" : i,
      },
      svg("circle", { r: 20, class: "ac-grip" }),
      mark,
      svg("text", { x: 11, y: -9 }, i < 0 ? "q" : `k${i + 1}`),
    );
    made.addEventListener("keydown", (event) => {
      const to = nudge(place(i), event.key, event.shiftKey, limit);
      if (!to) return;
      event.preventDefault();
      move(i, to);
    });
    // Prevented, so that a drag selects no text; then the focus has to be set by hand.
    made.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      made.focus();
      made.setPointerCapture(event.pointerId);
    });
    made.addEventListener("pointermove", (event) => {
      if (!made.hasPointerCapture(event.pointerId)) return;
      const box = picture.getBoundingClientRect();
      const half = (SIZE / 2 - 12) / SIZE;
      const x = ((event.clientX - box.left) / box.width - 0.5) / half;
      const y = (0.5 - (event.clientY - box.top) / box.height) / half;
      move(i, snap([x * limit, y * limit], limit));
    });
    handles.set(i, made);
    points.append(made);
    return made;
  };

  shell.show(() => {
    const { query, key_points: keys, score, temperature } = shell.state();
    const now = attend(query, keys, score, temperature);
    const { scores, weights, entropy: h, context } = now;
    const band = hull(keys).map(([from, to]) =>
      svg("line", {
        x1: at.across(from[0]),
        y1: at.down(from[1]),
        x2: at.across(to[0]),
        y2: at.down(to[1]),
        class: "ac-plane-hull",
      }),
    );
    lines.replaceChildren(
      ...band,
      arrow(at, query, "query", 2.5),
      ...keys.map((/** @type {Point} */ k, /** @type {number} */ j) =>
        arrow(at, k, "key", 1 + 5 * weights[j]),
      ),
      svg("path", {
        class: "ac-mark-context",
        d: hexagon(at.across(context[0]), at.down(context[1]), 9),
      }),
      svg(
        "text",
        {
          class: "ac-name-context",
          x: at.across(context[0]) + 11,
          y: at.down(context[1]) + 14,
        },
        "c",
      ),
    );
    for (const [i, extra] of handles) if (i >= keys.length) extra.remove(), handles.delete(i);
    for (let i = -1; i < keys.length; i++) {
      const p = i < 0 ? query : keys[i];
      const mark = handle(i);
      mark.setAttribute("transform", `translate(${at.across(p[0])} ${at.down(p[1])})`);
      mark.setAttribute(
        "aria-label",
        `${i < 0 ? "query" : `key ${i + 1}`} at ${p[0]}, ${p[1]}`,
      );
    }
    rows.replaceChildren(tableOf(scores, weights));
    rows.dataset.entropy = String(h);
    rows.dataset.context = JSON.stringify(context);
    shell.say(tell(query, keys, now));
  });
  return shell.destroy;
}

/** @param {ReturnType<typeof placesIn>} at */
function grid({ across, down }) {
  const ticks = [-4, -2, 0, 2, 4].flatMap((t) => [
    svg("line", {
      x1: across(t),
      x2: across(t),
      y1: 12,
      y2: SIZE - 12,
      class: t ? "ac-grid" : "ac-axis",
    }),
    svg("line", {
      y1: down(t),
      y2: down(t),
      x1: 12,
      x2: SIZE - 12,
      class: t ? "ac-grid" : "ac-axis",
    }),
    ...(t
      ? [
          svg(
            "text",
            { x: across(t), y: SIZE - 1, class: "ac-tick", "text-anchor": "middle" },
            String(t).replace("-", "−"),
          ),
        ]
      : []),
  ]);
  return svg("g", { "aria-hidden": "true" }, ...ticks);
}

/** @param {ReturnType<typeof placesIn>} at @param {Point} to @param {string} role @param {number} width */
function arrow({ across, down }, to, role, width) {
  return svg("line", {
    x1: across(0),
    y1: down(0),
    x2: across(to[0]),
    y2: down(to[1]),
    class: `ac-arrow-${role}`,
    "stroke-width": width,
  });
}

/** @param {number} x @param {number} y @param {number} r */
function hexagon(x, y, r) {
  const corners = [0, 1, 2, 3, 4, 5].map(
    (i) => `${x + r * Math.cos((i * Math.PI) / 3)},${y + r * Math.sin((i * Math.PI) / 3)}`,
  );
  return `M${corners.join("L")}Z`;
}

/** @param {number[]} scores @param {number[]} weights */
function tableOf(scores, weights) {
  const body = tag("tbody");
  body.append(
    tag("tr", ...["key", "score", "weight"].map((name) => tag("th", { scope: "col" }, name))),
  );
  weights.forEach((w, j) => {
    const bar = tag("span.ac-bar", { style: `width:${(w * 100).toFixed(1)}%` });
    const cell = tag(
      "td.ac-bar-cell",
      readout(`weight-${j}`, w),
      bar,
      tag("span.ac-bar-number", w.toFixed(3)),
    );
    body.append(
      tag(
        "tr",
        tag("th", { scope: "row" }, `${j + 1}`),
        tag("td", readout(`score-${j}`, scores[j]), formatNumber(scores[j])),
        cell,
      ),
    );
  });
  return body;
}

export default { render };
