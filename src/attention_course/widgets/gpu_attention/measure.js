// First equal, then timed: the order of a measurement.
import { CannotRun } from "./gpu.js";
import { NAMES } from "./kernels.js";
import {
  apart,
  inputs,
  largestError,
  median,
  nextSize,
  runsTogether,
  sample,
} from "./maths.js";

/**
 * @typedef {import("./kernels.js").Form} Form
 * @typedef {import("./maths.js").Setting} Setting
 * @typedef {{n: number, error: number, seconds: Partial<Record<Form, number>>, ratio: number | null, runs: number}} Row
 *   ratio: how many times as long three passes take, the median over rounds
 * @typedef {{checked: number, error: number, rows: Row[], ended: string}} Measured
 */

/** The largest difference from float64 that rounding may make; mistakes make 100 times as much. */
export const TOLERANCE = 1e-4;
export const LENGTHS = [1, 2, 31, 33, 70]; // shorter and longer than a block, and none a multiple
const ROUNDS = 5;
const LONGEST_RUN = 0.4; // seconds that a run may be expected to take: a GPU draws nothing meanwhile

/**
 * Are both programs attention? Every query of two heads, at five lengths, with small and large scores.
 * @param {import("./gpu.js").Gpu} gpu @param {import("./gpu.js").Programs} programs @param {Setting} setting
 */
export async function check(gpu, programs, { d, causal }) {
  const found = { checked: 0, error: 0 };
  for (const n of LENGTHS) {
    // With large scores exp overflows, unless the largest is subtracted first.
    for (const stretch of [1, 8]) {
      const size = { n, d, heads: 2, causal };
      const given = inputs(size, stretch);
      const problem = await gpu.place(size, given, programs);
      for (const form of problem.forms) {
        const got = await problem.result(form);
        hold(
          form,
          n,
          largestError(
            got,
            given,
            size,
            Array.from({ length: n }, (_, i) => i),
          ),
          found,
        );
      }
      problem.destroy();
    }
  }
  return found;
}

/** @param {Form} form @param {number} n @param {number} error @param {{checked: number, error: number}} found */
function hold(form, n, error, found) {
  // Written so that an error of NaN is refused too.
  if (!(error <= TOLERANCE))
    throw new CannotRun(
      "unequal",
      `${NAMES[form]}, ${n} tokens: ${Number.isFinite(error) ? error.toPrecision(2) : "not a number"}`,
    );
  found.checked += 1;
  found.error = Math.max(found.error, error);
}

/**
 * Check, then time both at one length after the other.
 * @param {import("./gpu.js").Gpu} gpu @param {Setting} setting @param {number[]} sizes
 * @param {{say: (stage: string, n?: number) => void, row: (row: Row) => void, stopped: () => boolean}} tell
 * @returns {Promise<Measured>}
 */
export async function measure(gpu, setting, sizes, { say, row, stopped }) {
  say("compiling");
  const programs = await gpu.compile(setting);
  say("checking");
  const found = await check(gpu, programs, setting);
  /** @type {Row[]} */
  const rows = [];
  /** @type {number | null} */
  let n = sizes[0];
  let ended = "all";
  while (n && !stopped()) {
    say("timing", n);
    const size = { n, ...setting };
    const given = inputs(size);
    let problem;
    try {
      problem = await gpu.place(size, given, programs);
    } catch (refused) {
      if (/** @type {any} */ (refused).reason !== "memory") throw refused;
      ended = "memory";
      break;
    }
    /** @type {Record<string, number[]>} */
    const taken = {};
    /** @type {Record<string, number>} */
    const once = {};
    const whole = [];
    const before = found.error;
    found.error = 0;
    for (const form of problem.forms) {
      const got = await problem.result(form);
      hold(form, n, largestError(got, given, size, sample(n)), found);
      if (whole.push(got) === 2) hold("fused", n, apart(whole[0], whole[1]), found);
      once[form] = await problem.run(form);
      taken[form] = [];
    }
    const error = found.error;
    found.error = Math.max(before, error);
    for (let round = 0; round < ROUNDS && !stopped(); round++) {
      for (const form of round % 2 ? problem.forms.toReversed() : problem.forms) {
        taken[form].push(await problem.run(form, runsTogether(once[form])));
      }
    }
    problem.destroy();
    if (stopped()) break;
    const seconds = Object.fromEntries(
      problem.forms.map((form) => [form, median(taken[form])]),
    );
    const ratio = taken.passes
      ? median(taken.passes.map((time, i) => time / taken.fused[i]))
      : null;
    rows.push({ n, error, seconds, ratio, runs: ROUNDS });
    row(rows[rows.length - 1]);
    const next = nextSize(sizes, n, Math.max(...Object.values(seconds)), LONGEST_RUN);
    if (!next && n !== sizes[sizes.length - 1]) ended = "slow";
    n = next;
  }
  return { ...found, rows, ended: stopped() ? "stopped" : ended };
}
