// The roofline: the ceilings of a device, and where attention lies below them.
import { wrong } from "../kit/limits.js";
import { drawChart } from "../chart/chart.js";
import { swatch } from "../chart/marks.js";
import { formatNumber, thousands } from "../kit/numbers.js";
import { buttonControl, selectControl } from "../kit/controls.js";
import { readout, tableWith, tag } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";
import { inOrder, keyHeads, nearest, timeOf, tell, withUnit, work } from "./maths.js";

/**
 * @typedef {import("./maths.js").State} State
 * @typedef {import("./maths.js").Constants} Constants
 * @typedef {import("./maths.js").Variant} Variant
 * @typedef {import("./maths.js").Device} Device
 * @typedef {import("./maths.js").Work} Work
 * @typedef {import("../chart/layout.js").Chart} Chart
 * @typedef {{name: string, device: string, variant: Variant, dtype: string, n: number, d: number,
 *   heads: number, group: number, batch: number, causal: boolean, tflops: number, source: string}} Point
 */

const T = 1e12;
/** @type {Chart["x"]} */
const X = { type: "log", range: [0.25, 1e6], title: "operations a byte of memory" };
/** @type {Map<string, Chart["y"]>} */
const HEIGHTS = new Map();
const MARKS = {
  naive: "square",
  chunked: "diamond",
  tiled: "circle",
  training: "hexagon",
  decode: "triangle-up",
};
const DASHES = { matmul: "solid", exponentials: "dash", l2: "dot", memory: "solid" };
const COLOURS = {
  matmul: "series-2",
  exponentials: "series-3",
  l2: "series-4",
  memory: "series-5",
};

/** The vertical axis of a device: the same one however the rest moves. @param {string} name @param {Constants} constants */
function heightOf(name, constants) {
  const { bandwidth, peak } = constants.devices[name];
  /** @type {Chart["y"]} */
  const made = HEIGHTS.get(name) ?? {
    type: "log",
    range: [(0.1 * bandwidth) / T, (8 * Math.max(...Object.values(peak))) / T],
    title: "TFLOP/s",
  };
  HEIGHTS.set(name, made);
  return made;
}

/** How many operations a second the exponentials allow. @param {Device} device @param {Work} asked */
function exponentialRoof(device, asked) {
  return (device.exponentials * asked.matmul) / asked.exponentials;
}

/** How many L2 allows: flat, for what a byte of it is used for does not depend on the memory. @param {Device} device @param {Work} asked */
function cacheRoof(device, asked) {
  return (Number(device.l2) * asked.matmul) / asked.streamed;
}

/** All forms in this setting, with their times. @param {State} state @param {Constants} constants */
function everyForm(state, constants) {
  return /** @type {Variant[]} */ (Object.keys(constants.variants)).map((variant) => {
    const asked = work({ ...state, variant }, constants);
    return {
      variant,
      asked,
      time: timeOf(asked, constants.devices[state.device], state.dtype),
    };
  });
}

/** How a form is marked. @param {Variant} variant @param {boolean} chosen @returns {import("../chart/layout.js").Series} */
function mark(variant, chosen) {
  return {
    kind: "line",
    lines: false,
    marker: MARKS[variant],
    colour: chosen ? { role: "context" } : { css: "var(--ac-edge)" },
    opacity: chosen ? 1 : 0.75,
  };
}

/** Measured points that are of this setting but for n. @param {Point[]} points @param {State} state */
function fitting(points, state) {
  return points.filter(
    (p) =>
      p.device === state.device &&
      p.dtype === state.dtype &&
      p.d === state.d &&
      p.causal === state.causal,
  );
}

/** @param {State} state @param {Constants} constants @param {Point[]} points @returns {Chart} */
function roofChart(state, constants, points) {
  const device = constants.devices[state.device];
  const forms = everyForm(state, constants);
  const chosen = forms.find(({ variant }) => variant === state.variant);
  const peak = (device.peak[state.dtype] ?? 0) / T;
  const slope = device.bandwidth / T;
  const [low, high] = /** @type {[number, number]} */ (X.range);
  /** @type {Chart["series"]} */
  const series = [];
  const flat = (
    /** @type {"matmul" | "exponentials" | "l2"} */ name,
    /** @type {number} */ y,
  ) =>
    series.push({
      kind: "line",
      name: constants.ceilings[name],
      colour: { role: COLOURS[name] },
      dash: DASHES[name],
      x: [Math.max(low, y / slope), high],
      y: [y, y],
    });
  const top = peak || Math.max(...Object.values(device.peak)) / T;
  series.push({
    kind: "line",
    name: constants.ceilings.memory,
    colour: { role: COLOURS.memory },
    x: [low, top / slope],
    y: [low * slope, top],
  });
  if (peak && chosen?.time) {
    flat("matmul", peak);
    flat("exponentials", exponentialRoof(device, chosen.asked) / T);
    if (device.l2) flat("l2", cacheRoof(device, chosen.asked) / T);
    for (const { variant, asked, time } of [
      ...forms.filter((form) => form !== chosen),
      chosen,
    ]) {
      if (!time) continue;
      const here = variant === state.variant;
      const y = asked.matmul / time.seconds / T;
      series.push({
        ...mark(variant, here),
        name: constants.variants[variant],
        x: [asked.matmul / asked.moved],
        y: [y],
        ...(here ? { low: [asked.matmul / time.summed / T], high: [y] } : {}),
      });
    }
  }
  for (const point of fitting(points, state)) {
    const asked = work({ ...state, block: constants.tile, ...point }, constants);
    const reached = (point.tflops * asked.matmul) / asked.useful;
    series.push({
      kind: "line",
      lines: false,
      marker: "x",
      colour: { role: "series-1" },
      opacity: point.n === state.n ? 1 : 0.4,
      name: `${point.name}, n = ${point.n}`,
      x: [asked.matmul / asked.moved],
      y: [reached],
    });
  }
  const busy = chosen?.time
    ? `${constants.ceilings[chosen.time.binding]} ${chosen.time.binding === "exponentials" ? "hold" : "holds"} it up`
    : `no ${state.dtype}`;
  return {
    title: `${state.device}, ${constants.variants[state.variant]}: ${busy}`,
    x: X,
    y: heightOf(state.device, constants),
    series,
    plain: true,
  };
}

/** What the lines and marks of the picture are. @param {State} state @param {Constants} constants @param {boolean} measured */
function keyItems(state, constants, measured) {
  const device = constants.devices[state.device];
  const peak = device.peak[state.dtype];
  const asked = work(state, constants);
  const rates = {
    matmul: peak,
    exponentials: peak && exponentialRoof(device, asked),
    l2: peak && device.l2 && cacheRoof(device, asked),
    memory: device.bandwidth,
  };
  const ceilings = Object.entries(rates).map(([name, rate]) => {
    const of = /** @type {keyof COLOURS} */ (name);
    const line = swatch({ kind: "line", colour: { role: COLOURS[of] }, dash: DASHES[of] });
    const used =
      name === "l2" ? ` at ${formatNumber(asked.matmul / asked.streamed, 3)} FLOP a byte` : "";
    return rate
      ? [
          line,
          `${constants.ceilings[name].replace("the ", "")}${used}, ${withUnit(rate, name === "memory" ? "B/s" : "FLOP/s")}`,
        ]
      : null;
  });
  const marks = [
    [swatch(mark(state.variant, true)), "if everything overlaps; the whisker, if nothing does"],
    measured
      ? [
          swatch({ kind: "line", lines: false, marker: "x", colour: { role: "series-1" } }),
          "measured; stronger at this n",
        ]
      : null,
  ];
  return [...ceilings, ...(peak ? marks : [])].flatMap((parts) =>
    parts ? [tag("li", parts[0], tag("span", parts[1]))] : [],
  );
}

/** One row a ceiling: what is asked of it, and how long that takes alone. @param {State} state @param {Constants} constants */
function ceilingRows(state, constants) {
  const asked = work(state, constants);
  const time = timeOf(asked, constants.devices[state.device], state.dtype);
  const amounts = {
    matmul: [asked.matmul, "FLOP"],
    exponentials: [asked.exponentials, ""],
    l2: [asked.streamed, "B"],
    memory: [asked.moved, "B"],
  };
  return Object.entries(constants.ceilings).map(([name, words]) => {
    const [amount, unit] = /** @type {[number, string]} */ (
      amounts[/** @type {keyof amounts} */ (name)]
    );
    const seconds = time?.times[name];
    const bar = tag("span.ac-roof-bar", {
      hidden: seconds === undefined,
      style: `width:${time && seconds !== undefined ? ((100 * Number(seconds)) / time.seconds).toFixed(1) : 0}%;background:var(--ac-${COLOURS[/** @type {keyof COLOURS} */ (name)]})`,
    });
    const shown = seconds === undefined ? {} : readout(`time-${name}`, Number(seconds));
    return tag(
      "tr",
      { class: time?.binding === name ? "ac-roof-binding" : "" },
      tag("th", { scope: "row" }, words.replace("the ", "")),
      tag(
        "td",
        readout({ memory: "moved", l2: "streamed" }[name] ?? name, amount),
        withUnit(amount, unit),
      ),
      tag(
        "td",
        shown,
        tag(
          "div.ac-roof-time",
          tag("span.ac-roof-track", bar),
          tag(
            "span.ac-roof-number",
            seconds === undefined ? (time ? "no rate" : "no time") : withUnit(seconds, "s"),
          ),
        ),
      ),
    );
  });
}

/** One row a form: the ghosts in numbers. @param {State} state @param {Constants} constants */
function formRows(state, constants) {
  return everyForm(state, constants).map(({ variant, asked, time }) => {
    const here = variant === state.variant;
    const seconds = time ? readout(`seconds-${variant}`, time.seconds) : {};
    return tag(
      "tr",
      { class: here ? "ac-roof-here" : "", ...(here ? { "aria-current": "true" } : {}) },
      tag("th", { scope: "row" }, swatch(mark(variant, here)), constants.variants[variant]),
      tag("td", seconds, time ? withUnit(time.seconds, "s") : "no time"),
      tag("td", time ? constants.ceilings[time.binding].replace("the ", "") : ""),
      tag("td", readout(`moved-${variant}`, asked.moved), withUnit(asked.moved, "B")),
      tag("td", readout(`held-${variant}`, asked.held), withUnit(asked.held, "B")),
    );
  });
}

/** What was measured at this n, a line a source. @param {Point[]} points */
function sourceLines(points) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const { source, name, tflops } of points)
    found.set(source, [...(found.get(source) ?? []), `${name} ${formatNumber(tflops)}`]);
  return [...found].map(([source, reached]) =>
    tag("li", `TFLOP/s at this n: ${reached.join(", ")}. ${source}`),
  );
}

/** A question to answer before anything is moved. @param {number} bytes how many times fewer are moved @param {(guess: number, guesses: number[]) => string} answer */
function makeQuestion(bytes, answer) {
  const said = tag("p.ac-roof-answer", { role: "status" });
  const guesses = [2, 5, 20, bytes];
  const buttons = guesses.map((guess) =>
    buttonControl(`${guess} times`, () => void (said.textContent = answer(guess, guesses))),
  );
  const text = tag(
    "p.ac-roof-ask",
    tag("b", "Guess first. "),
    `An H100, 8,192 tokens, 16 heads of width 128, 16-bit numbers. The tiled form does the operations of the naive one and moves ${bytes} times fewer bytes. How many times faster can it be?`,
  );
  return {
    element: tag(
      "div.ac-roof-question",
      { role: "group", "aria-label": "A question" },
      text,
      tag("div.ac-roof-row", ...buttons),
      said,
    ),
    forget: () => void (said.textContent = ""),
  };
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "What holds attention up?" });
  const { limits } = shell;
  const constants = inOrder(/** @type {any} */ (limits).constants);
  const asked = /** @type {State} */ ({
    variant: "tiled",
    device: "H100 SXM",
    dtype: shell.get("dtype") === "float16" ? "float16" : "bfloat16",
    n: 8192,
    d: 128,
    heads: 16,
    group: 1,
    batch: 1,
    causal: false,
    block: constants.tile,
  });
  const [naive, tiled] = ["naive", "tiled"].map((variant) =>
    everyForm(asked, constants).find((form) => form.variant === variant),
  );
  const question = makeQuestion(
    Math.round(Number(naive?.asked.moved) / Number(tiled?.asked.moved)),
    (guess, guesses) => {
      shell.set(asked);
      forms.table.hidden = false;
      const [slow, fast] = [naive?.time?.seconds ?? NaN, tiled?.time?.seconds ?? NaN];
      const right = nearest(guesses, slow / fast) === guess ? "Yes" : "No";
      return `${right}: ${formatNumber(slow / fast, 2)} times. The naive form waits for memory, ${withUnit(slow, "s")}. Without that wait the matrix unit is the next ceiling, ${withUnit(fast, "s")}.`;
    },
  );
  shell.root.classList.add("ac-roof");
  shell.controls.before(question.element);
  shell.buttons.firstElementChild?.addEventListener("click", question.forget);

  const named = (/** @type {Record<string, string>} */ words) =>
    Object.entries(words).map(([value, text]) => ({ value, text }));
  shell.add(selectControl({ label: "Form", options: named(constants.variants) }), "variant");
  shell.offer("device", "Device");
  shell.offer("dtype", "Numbers");
  shell.offer("n", "Tokens n", { format: thousands });
  shell.offer("d", "Width d");
  shell.offer("heads", "Heads");
  shell.offer("group", "Heads per key", { hint: "query heads that share one head of keys" });
  shell.offer("batch", "Sequences");
  shell.offer("block", "Query block", { hint: "queries in a block of the tiled forms" });
  shell.offer("causal", "Causal");

  const picture = tag("div");
  const key = tag("ul.ac-chart-legend.ac-roof-key");
  const ceilings = tableWith(".ac-roof-ceilings", ["ceiling", "asks for", "alone, at least"]);
  const forms = tableWith(".ac-roof-forms", [
    "form",
    "at least",
    "held up by",
    "moves",
    "holds",
  ]);
  const measured = tag("ul.ac-roof-measured");
  let first = "";
  forms.table.hidden = true; // it answers the question: it waits for a guess, or for any change
  shell.picture.append(picture, key, ceilings.table, forms.table, measured);
  const chart = drawChart(picture);
  shell.show(() => {
    const state = /** @type {State} */ (shell.state());
    if (!Number.isInteger(keyHeads(state)))
      throw wrong("group", `a divisor of heads, ${state.heads}`, state.group);
    const points = /** @type {Point[]} */ (model.get("points") ?? []);
    chart.update(roofChart(state, constants, points));
    const seen = fitting(points, state);
    key.replaceChildren(...keyItems(state, constants, seen.length > 0));
    ceilings.body.replaceChildren(...ceilingRows(state, constants));
    forms.body.replaceChildren(...formRows(state, constants));
    first ||= JSON.stringify(state);
    forms.table.hidden &&= JSON.stringify(state) === first;
    measured.replaceChildren(...sourceLines(seen.filter((p) => p.n === state.n)));
    shell.say(tell(state, constants));
  }, ["points"]);
  shell.onDestroy(chart.destroy);
  return shell.destroy;
}

export default { render };
