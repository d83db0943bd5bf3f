// What the widget says while it works, and why it cannot.
import { formatNumber } from "../kit/numbers.js";
import { whole } from "./maths.js";

/**
 * @typedef {import("./measure.js").Measured} Measured
 * @typedef {import("./measure.js").Row} Row
 */

/** @type {Record<string, (detail: string) => string>} */
const REASONS = {
  insecure: () =>
    "The browser lends its GPU only to pages that came over https, from this computer or from disk. This one came another way.",
  "no-webgpu": () =>
    "This browser has no WebGPU (there is no navigator.gpu). Another one, or a newer one, may have it.",
  "no-adapter": () =>
    "This browser has WebGPU, but offers no GPU. Perhaps there is none, its driver is not trusted, or hardware acceleration is switched off in the settings.",
  "no-device": (detail) => `The browser found a GPU and could not open it: ${detail}`,
  compile: (detail) => `The browser did not compile a kernel: ${detail}`,
  memory: (detail) => `The GPU has too little memory left for this length: ${detail}`,
  lost: (detail) =>
    `The GPU was lost on the way (${detail}). Its driver may have been reset; press the button to ask for it again.`,
  unequal: (detail) =>
    `A kernel differs from attention in float64, so nothing is timed. ${detail}.`,
  stopped: () => "Stopped.",
};

/** Why nothing more comes, of any error. @param {any} problem */
export function why(problem) {
  return problem.reason in REASONS
    ? REASONS[problem.reason](problem.detail)
    : `Something went wrong: ${problem.message}`;
}

/** @type {Record<string, (n?: number) => string>} */
export const STAGES = {
  asking: () => "Asking the browser for a GPU …",
  compiling: () => "Compiling both programs …",
  checking: () => "Comparing both with attention in float64 …",
  timing: (n = 0) => `Checking and timing ${whole(n)} tokens …`,
};

/** What was found. @param {Measured} measured @param {string} card */
export function told({ checked, error, rows, ended }, card) {
  const equal = `On ${card} both kernels equal attention in float64: ${checked} comparisons, the largest difference ${formatNumber(error, 2)}.`;
  const endings = /** @type {Record<string, string>} */ ({
    slow: " Longer ones were left out: a run would take too long here.",
    memory: " The GPU had no room for longer ones.",
    stopped: " Then you stopped it.",
  });
  if (!rows.length) return `${equal} Nothing was timed.${endings[ended] ?? ""}`;
  const both = rows.findLast(({ ratio }) => ratio !== null);
  const faster = both
    ? ` At ${whole(both.n)} tokens three passes take ${formatNumber(Number(both.ratio), 2)} times as long as one fused kernel (median of ${both.runs} paired rounds).`
    : "";
  return equal + faster + (endings[ended] ?? "");
}

/** What the browser says of its GPU. @param {Record<string, string>} about */
export function cardName({ vendor, architecture, device, description }) {
  return (
    description ||
    [vendor, architecture, device].filter(Boolean).join(" ") ||
    "a GPU that the browser does not name"
  );
}

/** Milliseconds for a cell. @param {number | undefined} seconds */
export function milliseconds(seconds) {
  return seconds === undefined ? "no room" : `${formatNumber(1000 * seconds)} ms`;
}
