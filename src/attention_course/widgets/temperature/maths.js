// What the temperature widget computes and says: pure functions, compared with the reference.
import { tidyNumber } from "../chart/scale.js";
import { entropy, softmax } from "../kit/attention.js";
import { formatNumber } from "../kit/numbers.js";

/**
 * Weights of scores at a temperature.
 * @param {number[]} scores @param {number} temperature
 */
export function temper(scores, temperature) {
  const scaled = scores.map((score) => score / temperature);
  const weights = softmax(scaled);
  const order = scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a]);
  const rest = order.slice(1).reduce((sum, i) => sum + weights[i], 0);
  return { scaled, weights, entropy: entropy(weights), top: order[0], second: order[1], rest };
}

/**
 * A weight for people; one that only rounds to 1 says how much is missing.
 * @param {number} weight @param {number} rest the sum of the other weights
 */
export function weightText(weight, rest) {
  if (weight > 0.999 && rest > 0) return `1 − ${formatNumber(rest, 2)}`;
  return weight >= 0.001 ? weight.toFixed(3) : formatNumber(weight, 2);
}

/**
 * The read-out: who gets how much, why, and how far from uniform that is.
 * @param {number[]} scores @param {number} temperature @param {string[]} words
 */
export function tell(scores, temperature, words) {
  const { weights, entropy: h, top, second, rest } = temper(scores, temperature);
  const lead = scores[top] - scores[second];
  const most = Math.log(scores.length);
  const bits = `Entropy ${formatNumber(h)} nats, of at most ${formatNumber(most)}.`;
  if (lead === 0) {
    const tied = scores.filter((s) => s === scores[top]).length;
    return `${tied} words share the highest score, and each gets ${weights[top].toFixed(3)} of the weight. ${bits}`;
  }
  const share =
    weights[top] > 0.999
      ? `all but ${formatNumber(rest, 2)} of the weight`
      : `${weights[top].toFixed(3)} of the weight`;
  const ratio = tidyNumber(Math.exp(lead / temperature));
  const divided =
    temperature === 1
      ? `A lead of ${tidyNumber(lead)} in score`
      : `A lead of ${tidyNumber(lead)} in score, divided by ${tidyNumber(temperature)},`;
  return `${capital(words[top])} gets ${share}. ${divided} is a lead of ${ratio} to 1 in weight over ${words[second]}. ${bits}`;
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A name for each score: as given, or its place. @param {string[]} words @param {number[]} scores @returns {string[]} */
export const namesOf = (words, scores) =>
  words.length ? words : scores.map((_, i) => `word ${i + 1}`);

/** The same as a sentence names them. @param {string[]} words @param {number[]} scores */
export const quoted = (words, scores) =>
  words.length ? words.map((word) => `“${word}”`) : namesOf(words, scores);

/** Temperatures from one to another, evenly on a log axis. @param {number} low @param {number} high */
export function sweep(low, high, count = 61) {
  return Array.from({ length: count }, (_, i) =>
    Number((low * (high / low) ** (i / (count - 1))).toPrecision(6)),
  );
}
