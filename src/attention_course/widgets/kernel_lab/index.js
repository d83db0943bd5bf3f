// Cut the forward kernel: what it takes, what fits beside it, and where its bound lies among all.
import { choices } from "../kit/limits.js";
import { markerPath } from "../chart/marks.js";
import { radioControl } from "../kit/controls.js";
import { readout, svg, tableWith, tag } from "../kit/elements.js";
import { thousands } from "../kit/numbers.js";
import { createShell } from "../kit/shell.js";
import { LIMITS, besides, highest, resident, rounded, rowOf, rowsOf, tell } from "./maths.js";

/**
 * @typedef {import("./maths.js").Cut} Cut
 * @typedef {import("./maths.js").Row} Row
 * @typedef {import("./maths.js").Resident} Resident
 * @typedef {import("./maths.js").Constants} Constants
 */

const [TALL, LEFT, RIGHT, TOP, BOTTOM] = [270, 52, 10, 26, 44];
const CONTROLS = {
  block_q: "Queries in a block",
  block_k: "Keys in a block",
  warps: "Warps",
  stages: "Stages",
};
const nameOf = (/** @type {Row} */ { gpu, d, block_q, block_k, warps, stages }) =>
  [gpu, d, block_q, block_k, warps, stages].join(" ");

/** A cut's mark: a circle, or a cross if it spills; full if it was tried, with a ring if it is chosen. @param {boolean} spills @param {boolean} tried @param {boolean} chosen @param {string} [at] */
function mark(spills, tried, chosen, at) {
  const name = `ac-cut-mark ${spills ? "ac-cut-spills" : "ac-cut-fits"}${tried ? " ac-cut-tried" : ""}`;
  const ring = chosen ? [svg("circle", { class: "ac-cut-ring", r: 9 })] : [];
  return svg(
    "g",
    { transform: at },
    svg("path", { class: name, d: markerPath(spills ? "x" : "circle", 4.5) }),
    ...ring,
  );
}

/** @param {boolean} spills @param {boolean} tried @param {boolean} chosen @param {string} words */
function legendItem(spills, tried, chosen, words) {
  const sample = svg(
    "svg",
    { width: 22, height: 22, viewBox: "-11 -11 22 22", "aria-hidden": "true" },
    mark(spills, tried, chosen),
  );
  return tag("li", sample, tag("span", words));
}

/** A step between marks of an axis: 1, 2 or 5 times a power of ten. @param {number} top */
export function stepOf(top) {
  const power = 10 ** Math.floor(Math.log10(top / 4));
  return power * ([1, 2, 5].find((n) => n * power >= top / 4) ?? 10);
}

/** Every cut that runs: occupancy across, the bound apart up. @param {Row} row @param {Row[]} rows @param {Constants} constants @param {Set<string>} tried @param {number} wide */
function picture(row, rows, constants, tried, wide) {
  const points = rows.flatMap((one) =>
    one.apart === null
      ? []
      : [{ one, up: one.apart, share: resident(one, constants)?.share ?? 0 }],
  );
  const [furthest, top] = [
    Math.max(0.25, ...points.map(({ share }) => share)),
    Math.max(...points.map(({ up }) => up)),
  ];
  const [step, across] = [stepOf(top), furthest > 0.5 && wide < 420 ? 0.25 : 0.125];
  const roof = step * Math.ceil((1.02 * top) / step);
  const x = (/** @type {number} */ share) =>
    LEFT + ((wide - LEFT - RIGHT) * share) / (furthest + 0.03);
  const y = (/** @type {number} */ bound) => TOP + (TALL - TOP - BOTTOM) * (1 - bound / roof);
  const lines = Array.from({ length: Math.round(roof / step) + 1 }, (_, i) => i * step).flatMap(
    (bound) => [
      svg("line", {
        class: "ac-cut-grid",
        x1: LEFT,
        x2: wide - RIGHT,
        y1: y(bound),
        y2: y(bound),
      }),
      svg("text", { x: LEFT - 8, y: y(bound) + 4, "text-anchor": "end" }, thousands(bound)),
    ],
  );
  const ticks = Array.from(
    { length: Math.floor(furthest / across + 1e-9) + 1 },
    (_, i) => i * across,
  ).map((share) =>
    svg(
      "text",
      { x: x(share), y: TALL - BOTTOM + 18, "text-anchor": "middle" },
      String(100 * share),
    ),
  );
  const titles = [
    svg("text", { x: 0, y: 12 }, "bound apart, TFLOP/s"),
    svg(
      "text",
      { x: (LEFT + wide - RIGHT) / 2, y: TALL - 6, "text-anchor": "middle" },
      "occupancy, %",
    ),
  ];
  const marks = points
    .sort((a, b) => Number(a.one === row) - Number(b.one === row))
    .map(({ one, up, share }) =>
      mark(
        (one.spilled ?? 0) > 0,
        tried.has(nameOf(one)),
        one === row,
        `translate(${x(share).toFixed(1)},${y(up).toFixed(1)})`,
      ),
    );
  return svg(
    "svg",
    {
      class: "ac-cut-picture",
      width: wide,
      height: TALL,
      viewBox: `0 0 ${wide} ${TALL}`,
      "aria-hidden": "true",
    },
    ...lines,
    ...ticks,
    ...titles,
    ...marks,
  );
}

/** One row a limit. @param {Resident} found */
function roomRows(found) {
  return LIMITS.map((limit) => {
    const [takes, has, room] = [found.taken[limit], found.has[limit], found.room[limit]];
    const inKiB = limit === "shared memory";
    const written = (/** @type {number} */ x) =>
      inKiB ? String(Math.round(x / 102.4) / 10) : thousands(x);
    const full = (100 * found.programs * takes) / has;
    const bar = tag(
      "span.ac-cut-track",
      tag("span.ac-cut-bar", { style: `width:${full.toFixed(1)}%` }),
    );
    return tag(
      "tr",
      { class: room === found.programs ? "ac-cut-limit" : "" },
      tag("th", { scope: "row" }, inKiB ? "shared memory, KiB" : limit),
      tag("td", `${written(takes)} of ${written(has)}`),
      tag("td", readout(`room-${limit}`, room), String(room)),
      tag(
        "td",
        tag("span.ac-cut-full", bar, tag("span.ac-cut-percent", `${Math.round(full)} %`)),
      ),
    );
  });
}

/** A cell that is a read-out where its number is known. @param {string} name @param {number | null | undefined} x @param {(x: number) => string} [text] */
function numberCell(name, x, text = thousands) {
  const known = typeof x === "number";
  return tag("td", known ? readout(name, x) : {}, known ? text(x) : "–");
}

/** Every cut of this GPU and width, in words for those who cannot see the picture. @param {Row[]} rows @param {Row} row @param {Constants} constants */
function everyCut(rows, row, constants) {
  const { table, body } = tableWith(".ac-chart-table", [
    "queries",
    "keys",
    "warps",
    "stages",
    "registers",
    "spilled",
    "programs",
    "occupancy",
    "apart",
    "at once",
  ]);
  body.append(
    ...rows.map((one) => {
      const found = resident(one, constants);
      const cut = [
        one.block_q,
        one.block_k,
        one.warps,
        one.stages,
        one.registers,
        one.spilled,
        found?.programs,
        found && `${100 * found.share} %`,
        one.apart,
        one.overlapped,
      ];
      return tag(
        "tr",
        {
          class: one === row ? "ac-cut-limit" : "",
          ...(one === row ? { "aria-current": "true" } : {}),
        },
        ...cut.map((x) => tag("td", String(x ?? "–"))),
      );
    }),
  );
  return tag(
    "div.ac-chart-frame",
    { tabindex: 0, role: "region", "aria-label": "All cuts as a table" },
    table,
  );
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Cut a kernel" });
  shell.root.classList.add("ac-cut");
  const { limits } = shell;
  const constants = /** @type {Constants} */ (/** @type {any} */ (limits).constants);
  const rows = rowsOf(constants);
  const gpus = Object.fromEntries(choices(limits.gpu).map(({ value, text }) => [value, text]));
  shell.offer("gpu", "GPU");
  shell.offer("d", "Width");
  for (const [name, label] of Object.entries(CONTROLS))
    shell.add(radioControl({ label, options: choices(limits[name]) }), name);

  const target = tag("p.ac-cut-target");
  const chart = tag("div");
  const legend = tag("ul.ac-chart-legend");
  const numbers = tableWith(".ac-cut-numbers", [
    "registers a thread",
    "bytes spilled",
    "occupancy, %",
    "TFLOP/s apart",
    "TFLOP/s at once",
  ]);
  const room = tableWith(".ac-cut-room", ["limit", "a program takes", "room for", "taken"]);
  const details = tag("details.ac-chart-data", tag("summary", "All cuts as a table"));
  shell.picture.append(target, chart, legend, numbers.table, room.table, details);
  /** @type {Set<string>} */
  const tried = new Set();
  /** @type {() => void} */
  let fill = () => {};
  details.addEventListener("toggle", () => fill());

  shell.show(() => {
    const row = rowOf(rows, /** @type {Cut} */ (shell.state()));
    const among = besides(rows, row);
    const found = resident(row, constants);
    tried.add(nameOf(row));
    const best = highest(rows, row);
    const reached = Math.max(
      0,
      ...among.filter((one) => tried.has(nameOf(one))).map(({ apart }) => apart ?? 0),
    );
    const ways = among.filter(({ apart }) => apart === best).length;
    const gpu = gpus[row.gpu];
    const where = `${gpu}, width ${row.d}`;
    target.replaceChildren(
      tag("b", reached === best ? "Found. " : "To find: "),
      reached === best
        ? `${rounded(best)} TFLOP/s is the highest bound apart (${where}); ${ways === 1 ? "no other cut reaches" : `${ways} of ${among.length} cuts reach`} it.`
        : `the cut with the highest bound apart (${where}). The best that you have tried: ${reached ? `${rounded(reached)} TFLOP/s` : "none that runs"}.`,
    );
    chart.replaceChildren(
      picture(row, among, constants, tried, Math.max(240, chart.clientWidth || 600)),
    );
    const cannot = among.filter(({ apart }) => apart === null).length;
    legend.replaceChildren(
      legendItem(false, false, false, "a cut"),
      legendItem(false, true, false, "tried"),
      legendItem(false, true, true, "chosen"),
      legendItem(true, false, false, "spills registers"),
      ...(cannot ? [tag("li", `${cannot} of ${among.length} cannot run`)] : []),
    );
    numbers.body.replaceChildren(
      tag(
        "tr",
        numberCell("registers", row.registers),
        numberCell("spilled", row.spilled),
        numberCell("occupancy", found?.share, (x) => String(100 * x)),
        numberCell("apart", row.apart, (x) => thousands(rounded(x))),
        numberCell("overlapped", row.overlapped, (x) => thousands(rounded(x))),
      ),
    );
    room.table.hidden = !found;
    room.body.replaceChildren(...(found ? roomRows(found) : []));
    fill = () => {
      details.querySelector("div")?.remove();
      if (details.open) details.append(everyCut(among, row, constants));
    };
    fill();
    shell.say(tell(row, found, best, gpu));
  });
  return shell.destroy;
}

export default { render };
