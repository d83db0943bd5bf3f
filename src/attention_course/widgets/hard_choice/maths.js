// Estimates of the gradient of an expected reward; equal to attention_course.reference.
import { wrong } from "../kit/limits.js";
import { dot, softmax } from "../kit/attention.js";
import { RandomState } from "../kit/random.js";

/** @typedef {{scores: number[], rewards: number[], shift: number, estimator: string, samples: number, tau: number, seed: number}} State */

const TINY = 2.2250738585072014e-308;

/** J r = w (r - w.r). @param {number[]} weights @param {number[]} rewards */
export function throughSoftmax(weights, rewards) {
  const mean = dot(weights, rewards);
  return weights.map((w, i) => w * (rewards[i] - mean));
}

/** The first position whose summed weight is above u. @param {number[]} weights @param {number} u */
export function choose(weights, u) {
  let total = 0;
  let last = 0;
  for (let j = 0; j < weights.length; j++) {
    total += weights[j];
    if (weights[j] > 0) last = j;
    if (total > u) return j;
  }
  return last;
}

/** Squared length of (one-hot at j) - w, for every j. @param {number[]} weights */
function lengths(weights) {
  const square = dot(weights, weights);
  return weights.map((w) => 1 - 2 * w + square);
}

/** The constant with the smallest variance. @param {number[]} weights @param {number[]} rewards */
export function bestBaseline(weights, rewards) {
  const shares = lengths(weights).map((l, j) => l * weights[j]);
  return dot(shares, rewards) / shares.reduce((a, b) => a + b, 0);
}

/** Exact variance of one REINFORCE estimate with a constant baseline. @param {number[]} weights @param {number[]} rewards @param {number} b */
export function reinforceVariance(weights, rewards, b) {
  const exact = throughSoftmax(weights, rewards);
  return (
    lengths(weights).reduce((sum, l, j) => sum + weights[j] * (rewards[j] - b) ** 2 * l, 0) -
    dot(exact, exact)
  );
}

/** Numbers of choices at which the path is drawn: about ten a decade. @param {number} samples */
export function stopsUpTo(samples) {
  /** @type {number[]} */
  const stops = [];
  for (let i = 0; ; i++) {
    const n = Math.round(10 ** (i / 10));
    if (n >= samples) break;
    if (n !== stops[stops.length - 1]) stops.push(n);
  }
  return [...stops, samples];
}

/** Make the choices, one after the other, and follow the mean of their estimates. @param {State} state */
export function estimate(state) {
  if (state.scores.length !== state.rewards.length)
    throw wrong("rewards", `one for each of ${state.scores.length} scores`, state.rewards);
  const { scores, estimator, samples, tau } = state;
  const rewards = state.rewards.map((r) => r + state.shift);
  const weights = softmax(scores);
  const exact = throughSoftmax(weights, rewards);
  const rng = new RandomState(state.seed);
  const constant = estimator === "best baseline" ? bestBaseline(weights, rewards) : 0;
  const counts = scores.map(() => 0);
  const sums = scores.map(() => 0);
  /** @type {number[]} */
  const path = [];
  const stops = stopsUpTo(samples);
  let [b, error] = [0, 0];
  for (let n = 1; n <= samples; n++) {
    /** @type {number[]} */
    let one;
    let s = 0;
    if (estimator === "straight-through") {
      const noisy = scores.map((e) => e - Math.log(-Math.log(Math.max(rng.uniform(), TINY))));
      s = noisy.indexOf(Math.max(...noisy));
      one = throughSoftmax(softmax(noisy.map((x) => x / tau)), rewards).map((x) => x / tau);
    } else {
      s = choose(weights, rng.uniform());
      const gain = rewards[s] - (estimator === "moving baseline" ? b : constant);
      one = weights.map((w, j) => gain * ((j === s ? 1 : 0) - w));
      b = 0.9 * b + (1 - 0.9) * rewards[s];
    }
    counts[s] += 1;
    for (let j = 0; j < one.length; j++) {
      sums[j] += one[j];
      error += (one[j] - exact[j]) ** 2;
    }
    if (n === stops[path.length])
      path.push(Math.hypot(...sums.map((x, j) => x / n - exact[j])));
  }
  const mean = sums.map((x) => x / samples);
  return {
    weights,
    rewards,
    exact,
    mean,
    counts,
    stops,
    path,
    distance: path[path.length - 1],
    error: error / samples,
  };
}
