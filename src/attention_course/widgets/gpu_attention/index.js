// Your own GPU: attention in three passes and in one fused kernel, first equal, then timed.
import { drawChart } from "../chart/chart.js";
import { swatch } from "../chart/marks.js";
import { buttonControl } from "../kit/controls.js";
import { readout, tag } from "../kit/elements.js";
import { copyText } from "../kit/links.js";
import { formatNumber } from "../kit/numbers.js";
import { createShell } from "../kit/shell.js";
import { openGpu } from "./gpu.js";
import { FORMS, NAMES, program } from "./kernels.js";
import { count, tell, megabytes, rooflinePoint, whole } from "./maths.js";
import { measure, TOLERANCE } from "./measure.js";
import { cardName, milliseconds, STAGES, told, why } from "./words.js";

/**
 * @typedef {import("./maths.js").Setting & {longest: number}} State
 * @typedef {import("./measure.js").Row} Row
 * @typedef {{device: string, bandwidth: number, peak: number, source: string,
 *   points: [name: string, n: number, causal: boolean, x: number, y: number][]}} Known
 */

const T = 1e12;
const MARKS = { passes: "square", fused: "circle" };
const COLOURS = { passes: "series-2", fused: "series-3" };
const HEAD = [
  "tokens",
  ...FORMS.map((form) => `${NAMES[form]}: bytes at least`),
  ...FORMS.map((form) => `${NAMES[form]}: time`),
  "times as long",
  "largest difference",
];

/** Published kernels and the reader's own. @param {Row[]} rows @param {State} state @param {Known} known @returns {import("../chart/layout.js").Chart} */
function roofChart(rows, state, { device, bandwidth, peak, points }) {
  const ridge = peak / bandwidth;
  /** @type {import("../chart/layout.js").Series[]} */
  const series = [
    {
      kind: "line",
      name: `${device}: memory, then the matrix unit`,
      colour: { css: "var(--ac-edge)" },
      x: [1, ridge, 1e5],
      y: [bandwidth / T, peak / T, peak / T],
    },
    {
      kind: "line",
      lines: false,
      marker: "x",
      name: `published, ${device}, float16, width 64`,
      colour: { role: "series-1" },
      opacity: 0.6,
      x: points.filter(([, , causal]) => causal === state.causal).map(([, , , x]) => x),
      y: points.filter(([, , causal]) => causal === state.causal).map(([, , , , y]) => y / T),
    },
  ];
  for (const form of FORMS) {
    const mine = rows.flatMap(({ n, seconds }) =>
      seconds[form] ? [rooflinePoint(count(form, { n, ...state }), seconds[form])] : [],
    );
    series.push({
      kind: "line",
      lines: false,
      marker: MARKS[form],
      name: `yours, float32: ${NAMES[form]}`,
      colour: { role: COLOURS[form] },
      x: mine.map(({ x }) => x),
      y: mine.map(({ y }) => y / T),
    });
  }
  const lowest = Math.min(
    1e-2,
    ...series.flatMap(({ y = [] }) => y.map((value) => Number(value) / 2)),
  );
  return {
    title: rows.length
      ? "Your GPU beside published kernels"
      : "Published kernels; yours come with the measurement",
    x: { type: "log", range: [1, 1e5], title: "operations a byte" },
    y: {
      type: "log",
      range: [10 ** Math.floor(Math.log10(lowest)), 3e3],
      title: "trillion operations a second",
    },
    series,
    height: 320,
    plain: true,
  };
}

/** What the lines and marks are. @param {import("../chart/layout.js").Chart} chart */
function keyItems({ series }) {
  return series.map((one) =>
    tag("li", swatch({ ...one, opacity: 1 }), tag("span", one.name ?? "")),
  );
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const shell = createShell(model, el, {
    title: "Attention on your own GPU",
    controls: "above",
  });
  shell.root.classList.add("ac-gpu");
  const { limits } = shell;
  /** @type {Known} */
  const known = /** @type {any} */ (limits).constants.known;
  /** @type {Row[]} */
  let rows = [];
  let measured = ""; // the setting that the rows belong to
  /** @type {import("./gpu.js").Gpu | null} */
  let gpu = null;
  let going = 0; // a number for each run; 0 when none goes

  const status = tag(
    "p.ac-gpu-status",
    { role: "status" },
    "Nothing has run yet. The button asks the browser for your GPU, compares both kernels with attention in float64, and times them if they are equal. Nothing leaves this page.",
  );
  const frame = tag("div.ac-gpu-scroll", {
    tabindex: 0,
    role: "region",
    "aria-label": "Bytes and times",
  });
  const picture = tag("div");
  const key = tag("ul.ac-chart-legend.ac-gpu-key");
  const copies = tag("span");
  const code = FORMS.map((form) =>
    tag("pre.ac-gpu-code", {
      tabindex: 0,
      role: "region",
      "aria-label": `WGSL: ${NAMES[form]}`,
    }),
  );
  const hint = tag(
    "p.ac-hint",
    "Bytes are counted: each array once for each pass that needs it, if caches do the rest. Times are of submissions of several runs, from handing them over until the queue is empty, " +
      `divided by the runs; both kernels take turns. Equal means: no number differs by more than ${TOLERANCE}. Neither kernel is tuned. Crosses: ${known.source}.`,
  );
  const roof = tag("div", { hidden: true }, picture, key);
  const more = tag(
    "div",
    { hidden: true },
    hint,
    ...FORMS.flatMap((form, i) => [tag("p.ac-hint", `${NAMES[form]}:`), code[i]]),
  );
  shell.picture.append(status, frame, roof);
  shell.readout.after(more);
  const chart = drawChart(picture);

  const stop = () => {
    going = 0;
    run.textContent = "Run on my GPU";
    shell.picture.setAttribute("aria-busy", "false");
    gpu?.end();
    gpu = null;
  };
  const settingNow = () => JSON.stringify(shell.state());

  const start = async () => {
    const mine = (going = Date.now());
    const state = /** @type {State} */ (shell.state());
    const { longest, ...setting } = state;
    rows = [];
    roof.hidden = false; // from here on: before, there is nothing to compare
    measured = settingNow();
    copies.replaceChildren();
    run.textContent = "Stop";
    shell.picture.setAttribute("aria-busy", "true");
    const say = (/** @type {string} */ stage, /** @type {number} */ n) =>
      void (going === mine && (status.textContent = STAGES[stage](n)));
    say("asking", 0);
    shell.refresh();
    try {
      const opened = await openGpu();
      if (going !== mine) return opened.end();
      gpu = opened;
      const about = opened.about();
      const sizes = limits.longest.options.filter((n) => n <= longest);
      const found = await measure(opened, setting, sizes, {
        say: /** @type {any} */ (say),
        stopped: () => going !== mine,
        row: (row) => {
          rows = [...rows, row];
          shell.refresh();
        },
      });
      if (going !== mine) return;
      status.textContent = told(found, cardName(about));
      offer({ ...found, setting, about });
    } catch (problem) {
      if (going !== mine) return;
      status.textContent = why(problem);
    }
    stop();
  };

  /** What was measured, for the clipboard. @param {import("./measure.js").Measured & {setting: import("./maths.js").Setting, about: Record<string, string>}} found */
  const offer = ({ rows: timed, setting, about, checked, error, ended }) => {
    const result = {
      what: "attention on a reader's GPU, forward, float32, WebGPU",
      adapter: about,
      browser: navigator.userAgent,
      date: new Date().toISOString().slice(0, 10),
      ...setting,
      timing:
        "submission to empty queue, several runs each, kernels in turn; medians over rounds",
      checked,
      error,
      ended,
      rows: timed.map((row) => ({
        ...row,
        bytes: Object.fromEntries(
          FORMS.map((form) => [form, count(form, { n: row.n, ...setting }).moved]),
        ),
      })),
    };
    const button = buttonControl("Copy my result", async () => {
      button.textContent = (await copyText(JSON.stringify(result, null, 1)))
        ? "Result copied"
        : "The browser refused";
      setTimeout(() => void (button.textContent = "Copy my result"), 2500);
    });
    copies.replaceChildren(button);
  };

  const run = buttonControl("Run on my GPU", () => {
    if (!going) return void start();
    stop();
    status.textContent = "Stopped.";
  });
  run.classList.add("ac-gpu-run");
  shell.offer("heads", "Heads");
  shell.offer("d", "Width d");
  shell.offer("longest", "Tokens up to");
  shell.offer("causal", "Causal");
  const show = buttonControl("Show the kernels", () => {
    more.hidden = !more.hidden;
    show.setAttribute("aria-expanded", String(!more.hidden));
  });
  show.setAttribute("aria-expanded", "false");
  shell.buttons.prepend(run, copies, show);

  /** @param {State} state */
  const table = (state) => {
    const lines = limits.longest.options
      .filter((n) => n <= state.longest)
      .map((n) => {
        const timed = rows.find((row) => row.n === n);
        const size = { ...state, n };
        const bytes = FORMS.map((form) => {
          const counted = count(form, size);
          const read = n === state.longest ? readout(`moved-${form}`, counted.moved) : {};
          return tag("td", read, megabytes(counted.moved));
        });
        const times = FORMS.map((form) =>
          tag(
            "td",
            timed ? { "data-seconds": timed.seconds[form] } : {},
            timed ? milliseconds(timed.seconds[form]) : "–",
          ),
        );
        const last = [
          timed?.ratio ? formatNumber(timed.ratio, 2) : "–",
          timed ? formatNumber(timed.error, 2) : "–",
        ];
        return tag(
          "tr",
          tag("th", { scope: "row" }, whole(n)),
          ...bytes,
          ...times,
          ...last.map((text) => tag("td", text)),
        );
      });
    const hidden = FORMS.map((form) =>
      tag(
        "data",
        readout(`operations-${form}`, count(form, { ...state, n: state.longest }).operations),
      ),
    );
    const top = tag(
      "thead",
      tag("tr", ...HEAD.map((text) => tag("th", { scope: "col" }, text))),
    );
    frame.replaceChildren(
      tag("table.ac-table", { "aria-label": "Bytes and times" }, top, tag("tbody", ...lines)),
      ...hidden,
    );
  };

  shell.show(() => {
    const state = /** @type {State} */ (shell.state());
    if (measured && measured !== settingNow()) {
      if (going || rows.length)
        status.textContent = "The setting has changed: press the button to run it.";
      if (going) stop();
      [rows, measured] = [[], ""];
      copies.replaceChildren();
    }
    table(state);
    FORMS.forEach((form, i) => (code[i].textContent = program(form, state)));
    const drawn = roofChart(rows, state, known);
    chart.update(drawn);
    key.replaceChildren(...keyItems(drawn));
    shell.say(tell(state));
  });
  shell.onDestroy(() => (stop(), chart.destroy()));
  return shell.destroy;
}

export default { render };
