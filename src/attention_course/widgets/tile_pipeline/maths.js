// A tile on the units of a multiprocessor: as reference/scale/pipeline.py.
import { thousands } from "../kit/numbers.js";

/**
 * @typedef {{device: string, d: number, tiles: number, ahead: boolean, polynomial: number, conditional: boolean}} State
 * @typedef {{products: number, exponentials: number, shared: number, l2?: number, multiprocessors: number, clock: number}} Cycle
 * @typedef {{devices: Record<string, Cycle>, instructions: Record<string, number>, queries: number, keys: number, bytes: number,
 *   warp: number, schedulers: number, search: number, polynomial: number, from_l2: number, blocks: number, first: number,
 *   last: number, left: number, shown: number}} Constants
 * @typedef {"keys" | "values" | "scores" | "contexts" | "exponentials" | "search" | "rest" | "rescale"} What
 * @typedef {{what: What, tile: number, block: number, needs: Step[], start: number, end: number}} Step
 */

/** Each unit, in words, and the steps that it does. @type {Record<string, {name: string, does: What[]}>} */
export const UNITS = {
  loads: { name: "the loads from L2", does: ["keys", "values"] },
  tensor: { name: "the tensor cores", does: ["scores", "contexts"] },
  exponentials: { name: "the exponential units", does: ["exponentials"] },
  arithmetic: { name: "the arithmetic units", does: ["search", "rest", "rescale"] },
};
const unitOf = /** @type {Record<What, string>} */ (
  Object.fromEntries(
    Object.entries(UNITS).flatMap(([unit, { does }]) => does.map((what) => [what, unit])),
  )
);

/** Cycles of each step, rounded up. @param {State} state @param {Constants} constants @returns {Record<What, number>} */
export function durations({ device, d, polynomial, conditional }, constants) {
  const { queries, keys, bytes, warp, schedulers, search, from_l2, left } = constants;
  const [cycle, scores, share] = [constants.devices[device], queries * keys, polynomial / 100];
  const product = (2 * scores * d) / cycle.products;
  const moved = bytes * keys * d;
  const other =
    constants.instructions[device] - search + (constants.polynomial * share * scores) / warp;
  const load = moved / (cycle.l2 ?? from_l2);
  const exact = {
    keys: load,
    values: load,
    scores: Math.max(product, (moved + bytes * queries * d) / cycle.shared),
    contexts: Math.max(product, moved / cycle.shared),
    exponentials: ((1 - share) * scores) / cycle.exponentials,
    search: search / schedulers,
    rest: other / schedulers,
    rescale: ((conditional ? left : 1) * queries * d) / warp / schedulers,
  };
  return /** @type {any} */ (
    Object.fromEntries(Object.entries(exact).map(([name, x]) => [name, Math.ceil(x)]))
  );
}

/** Every step with those that must have ended before it, in the order of the blocks. @param {State} state @param {number} blocks */
function stepsOf({ tiles, ahead }, blocks) {
  /** @type {Map<string, Step>} */
  const steps = new Map();
  /** @type {Step[]} */
  const all = [];
  // What a step needs may come later in the list: it is found by name once all are there.
  /** @type {[Step, [What, number, number][]][]} */
  const wants = [];
  const add = (
    /** @type {What} */ what,
    /** @type {number} */ tile,
    /** @type {number} */ block,
    /** @type {[What, number, number][]} */ needs,
  ) => {
    const step = { what, tile, block, needs: [], start: NaN, end: NaN };
    steps.set([what, tile, block].join(), step);
    all.push(step);
    wants.push([step, needs.filter(([, , j]) => j >= 0)]);
  };
  const each = Array.from({ length: tiles }, (_, t) => t);
  for (let j = 0; j < blocks; j++) {
    // Shared memory has room for two blocks.
    add(
      "keys",
      0,
      j,
      each.map((t) => ["scores", t, j - 2]),
    );
    add(
      "values",
      0,
      j,
      each.map((t) => ["contexts", t, j - 2]),
    );
    for (const t of each) {
      // A tile of scores lies where the products put it until its contexts are added.
      add("scores", t, j, [
        ["keys", 0, j],
        ["contexts", t, ahead ? j - 2 : j - 1],
      ]);
      add("search", t, j, [["scores", t, j]]);
      add("exponentials", t, j, [["search", t, j]]);
      add("rest", t, j, [["search", t, j]]);
      add("rescale", t, j, [
        ["search", t, j],
        ["contexts", t, j - 1],
      ]);
      add("contexts", t, j, [
        ["values", 0, j],
        ["exponentials", t, j],
        ["rest", t, j],
        ["rescale", t, j],
      ]);
    }
  }
  for (const [step, needs] of wants)
    step.needs = needs.map((one) => /** @type {Step} */ (steps.get(one.join())));
  return all;
}

/** Let each step begin as soon as it can, the earliest first. @param {State} state @param {Constants} constants */
export function play(state, constants) {
  const { blocks, first, last, queries, keys } = constants;
  const lasts = durations(state, constants);
  const waiting = stepsOf(state, blocks);
  /** @type {Record<string, number>} */
  const free = Object.fromEntries(Object.keys(UNITS).map((unit) => [unit, 0]));
  /** @type {Step[]} */
  const steps = [];
  while (waiting.length) {
    let [soonest, best] = [Infinity, -1];
    waiting.forEach(({ what, needs, block }, i) => {
      if (needs.some(({ end }) => Number.isNaN(end))) return;
      const start = Math.max(free[unitOf[what]], ...needs.map(({ end }) => end));
      const sooner = start < soonest || (start === soonest && block < waiting[best].block);
      if (sooner) [soonest, best] = [start, i];
    });
    const [step] = waiting.splice(best, 1);
    step.start = soonest;
    step.end = free[unitOf[step.what]] = soonest + lasts[step.what];
    steps.push(step);
  }
  const endOf = (/** @type {number} */ block) =>
    Math.max(
      ...steps.filter((s) => s.what === "contexts" && s.block === block).map((s) => s.end),
    );
  const [begin, end] = [endOf(first), endOf(last)];
  const busy = Object.fromEntries(Object.keys(UNITS).map((unit) => [unit, 0]));
  for (const { what, start, end: stop } of steps)
    busy[unitOf[what]] +=
      Math.max(0, Math.min(stop, end) - Math.max(start, begin)) / (end - begin);
  const { multiprocessors, clock, products } = constants.devices[state.device];
  const cycles = (end - begin) / (last - first);
  const done = (4 * queries * keys * state.d * state.tiles) / cycles;
  return {
    steps,
    begin,
    assumed: constants.devices[state.device].l2 === undefined, // the rate of the loads
    now: {
      cycles,
      tflops: (done * multiprocessors * clock) / 1e12,
      share: done / products,
      busy,
    },
  };
}

/** A share as a whole percentage. @param {number} x */
export const percent = (x) => `${Math.round(100 * x)} %`;

/** How much of its time a unit works. @param {string} unit @param {ReturnType<typeof play>} played */
export const works = (unit, { now, assumed }) =>
  (assumed && unit === "loads" ? "≈ " : "") + percent(now.busy[unit]);

/** What the picture shows, in words. @param {State} state @param {ReturnType<typeof play>} played @param {string} device */
export function tell({ d, tiles, polynomial }, played, device) {
  const { cycles, tflops, share, busy } = played.now;
  const [most, second] = Object.entries(busy).sort((a, b) => b[1] - a[1]);
  const each = tiles === 2 ? "for both tiles" : "for the tile";
  const some = polynomial ? ` ${polynomial} % of the exponentials are polynomials.` : "";
  const rate = played.assumed ? " The rate of L2 is an H100's: no source has this one." : "";
  const whole = (/** @type {number} */ x) => thousands(Math.round(x));
  return `${device}, width ${d}: ${whole(cycles)} cycles a block of keys ${each}, at most ${whole(tflops)} TFLOP/s, ${percent(share)} of the tensor cores' peak. The busiest: ${UNITS[most[0]].name}, ${works(most[0], played)} of the time, and ${UNITS[second[0]].name}, ${works(second[0], played)}.${rate}${some}`;
}
