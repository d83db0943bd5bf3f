// Is it the fused row? The answer is compiled and run on small inputs, and held against float64.
import { CannotRun } from "../gpu_attention/gpu.js";
import { inputs, largestError } from "../gpu_attention/maths.js";
import { around, D, LINES_BEFORE, MISTAKES, mistaken, PLAN } from "./row.js";

/**
 * @typedef {import("../gpu_attention/gpu.js").Gpu} Gpu
 * @typedef {{n: number, causal: boolean, stretch: number}} Case
 * @typedef {{context: Float32Array, reads: Uint32Array}} Given what an answer gives
 * @typedef {{outcome: "right" | "wrong" | "again" | "compile", error: number, at: Case | null, mistake: import("./row.js").Mistake | null, reads: number, line: number, words: string}} Verdict
 *   again: right, but keys are read more than once
 */

/** Ordinary scores, few keys, a mask, and scores that go up to hundreds. @type {Case[]} */
export const CASES = [
  { n: 40, causal: false, stretch: 1 },
  { n: 1, causal: false, stretch: 1 },
  { n: 33, causal: true, stretch: 1 },
  { n: 40, causal: false, stretch: 60 },
  { n: 33, causal: true, stretch: 60 },
];
/** Rounding of scores of hundreds makes some 1e-4. */
export const TOLERANCE = 2e-3;

/** @param {Case} one */
const sizeOf = ({ n, causal }) => ({ n, causal, d: D, heads: 1 });

/** What an answer gives for each case. Throws CannotRun. @param {Gpu} gpu @param {string} answer @returns {Promise<Given[]>} */
export async function run(gpu, answer) {
  const pipelines = new Map();
  for (const causal of [false, true])
    pipelines.set(causal, await gpu.build(around(answer, causal), ["every_row"]));
  const found = [];
  for (const one of CASES) {
    const problem = await gpu.place(
      sizeOf(one),
      inputs(sizeOf(one), one.stretch),
      { row: pipelines.get(one.causal) },
      PLAN,
    );
    const context = await problem.result("row");
    found.push({ context, reads: new Uint32Array(await problem.read(5, 4 * one.n)) });
    problem.destroy();
  }
  return found;
}

/** How far two answers are apart, over all cases; where neither is a number they agree. @param {Given[]} a @param {Given[]} b */
export function between(a, b) {
  let worst = 0;
  a.forEach(({ context }, at) =>
    context.forEach((x, i) => {
      const y = b[at].context[i];
      const gap =
        Number.isFinite(x) && Number.isFinite(y)
          ? Math.abs(x - y)
          : Number.isFinite(x) === Number.isFinite(y)
            ? 0
            : Infinity;
      worst = Math.max(worst, gap);
    }),
  );
  return worst;
}

/** What is wrong with what an answer gives, if anything. @param {Given[]} given */
export function held(given) {
  let worst = { error: 0, at: /** @type {Case | null} */ (null), reads: 1 };
  CASES.forEach((one, i) => {
    const all = Array.from({ length: one.n }, (_, at) => at);
    const error = largestError(
      given[i].context,
      inputs(sizeOf(one), one.stretch),
      sizeOf(one),
      all,
    );
    if (error > TOLERANCE && !worst.at) worst = { ...worst, error, at: one };
    const seen = (/** @type {number} */ at) => D * (one.causal ? at + 1 : one.n);
    for (const at of all) worst.reads = Math.max(worst.reads, given[i].reads[at] / seen(at));
  });
  return worst;
}

/** Examine an answer. Throws CannotRun where nothing can be run. @param {Gpu} gpu @param {string} answer @returns {Promise<Verdict>} */
export async function examine(gpu, answer) {
  const verdict = { mistake: null, line: 0, words: "" };
  let given;
  try {
    given = await run(gpu, answer);
  } catch (problem) {
    const { reason, line = 0, words = "" } = /** @type {any} */ (problem);
    if (!(problem instanceof CannotRun) || reason !== "compile") throw problem;
    return {
      ...verdict,
      outcome: "compile",
      error: NaN,
      at: null,
      reads: 0,
      line: line - LINES_BEFORE,
      words,
    };
  }
  const found = held(given);
  if (!found.at) return { ...verdict, ...found, outcome: found.reads > 1 ? "again" : "right" };
  for (const mistake of MISTAKES) {
    if (between(given, await run(gpu, mistaken(mistake))) <= TOLERANCE)
      return { ...verdict, ...found, outcome: "wrong", mistake };
  }
  return { ...verdict, ...found, outcome: "wrong" };
}

/** The verdict in words. @param {Verdict} verdict @param {number} lines of the answer */
export function inWords({ outcome, error, at, mistake, reads, line, words }, lines) {
  if (outcome === "compile") {
    const where = line >= 1 && line <= lines ? `Line ${line}: ` : "Outside your lines: ";
    return `It does not compile. ${where}${words}`;
  }
  if (outcome === "right")
    return `Right: ${CASES.length} inputs on your GPU give the contexts of float64, and each key was read once.`;
  if (outcome === "again")
    return `The contexts are right, but some query reads its keys ${reads.toFixed(1)} times. A fused row reads each key once.`;
  const where =
    at &&
    `${at.n} key${at.n > 1 ? "s" : ""}${at.causal ? ", causal" : ""}${at.stretch > 1 ? ", scores up to hundreds" : ""}`;
  const far = `Not yet. With ${where}, a number differs by ${Number.isFinite(error) ? error.toPrecision(2) : "infinity, or is none"}.`;
  return mistake ? `${far} It gives what comes out if ${mistake.name}. ${mistake.hint}` : far;
}
