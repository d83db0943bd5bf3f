// How far off a guess is, and how that is said: pure functions. tests/js compares them with
// what the widget's readouts() say in Python.
import { formatNumber } from "../kit/numbers.js";

/**
 * @typedef {object} Asked
 * @property {"number" | "choice" | "order"} kind
 * @property {number[]} answer
 * @property {number[]} guess empty before there is one
 * @property {string[]} choices
 * @property {string} unit
 * @property {number} tolerance
 * @property {number[][]} [believed] wrong guesses
 * @property {string[]} [beliefs] what leads to each of them
 * @property {boolean} opened
 */

/** What can be said of the guess, as numbers by name. @param {Asked} asked @returns {Record<string, number>} */
export function judge({ kind, answer, guess, opened }) {
  if (!opened || !guess.length) return {};
  if (kind === "choice") return { right: Number(guess[0] === answer[0]) };
  if (kind === "order") {
    const places = answer.map((item) => guess.indexOf(item));
    let [wrong, pairs] = [0, 0];
    places.forEach((place, i) => {
      for (const later of places.slice(i + 1))
        [wrong, pairs] = [wrong + Number(place > later), pairs + 1];
    });
    return { wrong, pairs };
  }
  const difference = guess[0] - answer[0];
  // The quotients and not the product: a product of small numbers is zero.
  if (Math.sign(guess[0]) !== Math.sign(answer[0]) || guess[0] === 0) return { difference };
  return { difference, factor: Math.max(guess[0] / answer[0], answer[0] / guess[0]) };
}

/**
 * A number as the page writes it: whole ones with all digits, no zeros at the end of others.
 * @param {number} x @param {number} [digits] significant ones
 */
export function written(x, digits = 3) {
  const shown = digits < 3 ? Number(x.toPrecision(digits)) : x;
  if (Number.isInteger(shown) && Math.abs(shown) < (digits < 3 ? 1e6 : 1e15))
    return String(shown + 0).replace("-", "\u2212");
  return formatNumber(shown, digits)
    .replace(/(\.\d*?)0+(?=$| )/, "$1")
    .replace(/\.(?=$| )/, "");
}

/** A number with its unit. @param {number} x @param {string} unit @param {number} [digits] */
export function withUnit(x, unit, digits) {
  return `${written(x, digits)}${unit && !"%°".includes(unit[0]) ? "\u00a0" : ""}${unit}`;
}

/** The answer in words. @param {Asked} asked */
export function answerText({ kind, answer, choices, unit }) {
  return kind === "number"
    ? withUnit(answer[0], unit)
    : answer.map((at) => choices[at]).join(", ");
}

const NEAR = 0.05; // of the number to which a belief leads, where the tolerance is smaller

/** The belief that leads to the guess, or nothing. @param {Asked} asked */
export function belief({ kind, answer, guess, tolerance, believed = [], beliefs = [] }) {
  const same = (/** @type {number[]} */ other) => other.every((x, i) => x === guess[i]);
  if (!guess.length || same(answer)) return "";
  if (kind !== "number") return beliefs[believed.findIndex(same)] ?? "";
  if (Math.abs(guess[0] - answer[0]) <= tolerance) return "";
  const gaps = believed.map(([number]) => Math.abs(guess[0] - number));
  const at = gaps.indexOf(Math.min(...gaps));
  return at >= 0 && gaps[at] <= Math.max(tolerance, NEAR * Math.abs(believed[at][0]))
    ? beliefs[at]
    : "";
}

/** What is said when the answer opens. @param {Asked} asked */
export function verdict(asked) {
  return [judged(asked), belief(asked)].filter(Boolean).join(" ");
}

/** @param {Asked} asked */
function judged(asked) {
  const { kind, guess, choices, unit, tolerance } = asked;
  const answer = answerText(asked);
  const { difference, factor, right, wrong, pairs } = judge(asked);
  if (!guess.length) return `The answer is ${answer}.`;
  if (kind === "choice")
    return right
      ? `Yes: ${answer}.`
      : `You chose ${choices[guess[0]]}. The answer is ${answer}.`;
  if (kind === "order") {
    if (!wrong) return `All in the right order: ${answer}.`;
    return `${wrong} of ${pairs} pairs ${wrong === 1 ? "is" : "are"} the wrong way round. The order is ${answer}.`;
  }
  const yours = withUnit(guess[0], unit);
  if (yours === answer) return `Spot on: the answer is ${answer}.`;
  if (Math.abs(difference) <= tolerance)
    return `Right, to within ${written(tolerance)}: you said ${yours}, the answer is ${answer}.`;
  const side = difference > 0 ? "high" : "low";
  const off = withUnit(Math.abs(difference), unit, 2);
  const times = `a factor of ${written(factor ?? 1, 2)}`;
  // A small factor says less than the difference, a large one says it all.
  const how = !factor || factor < 2 ? off : factor < 100 ? `${off}, ${times}` : times;
  return `You said ${yours}, the answer is ${answer}: too ${side} by ${how}.`;
}

/** Whether a stored guess fits what is asked. @param {any} guess @param {Asked} asked */
export function fitsQuestion(guess, { kind, choices }) {
  if (!Array.isArray(guess)) return false;
  if (kind === "order")
    return guess.length === choices.length && choices.every((_, i) => guess.includes(i));
  if (guess.length !== 1 || !Number.isFinite(guess[0])) return false;
  return (
    kind === "number" ||
    (Number.isInteger(guess[0]) && guess[0] >= 0 && guess[0] < choices.length)
  );
}

/** The order with one item a place up (-1) or down (1), or before another. @param {number[]} order @param {number} item @param {number} to its new place */
export function moved(order, item, to) {
  const rest = order.filter((other) => other !== item);
  const place = Math.min(rest.length, Math.max(0, to));
  return [...rest.slice(0, place), item, ...rest.slice(place)];
}
