// What the step-through says: the sentence of each step, and how a single number comes about.
import { formatNumber } from "../kit/numbers.js";

/**
 * @typedef {import("./maths.js").Setting} Setting
 * @typedef {import("./maths.js").Stages} Stages
 */

/** Two decimals, with a real minus. @param {number} x */
export function two(x) {
  if (x === -Infinity) return "−∞";
  const text = x.toFixed(Math.abs(x) >= 99.5 ? 0 : Math.abs(x) >= 9.95 ? 1 : 2);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** @param {string} word */
const quote = (word) => `“${word}”`;
/** @param {number[]} v */
const norm = (v) => formatNumber(Math.hypot(...v));
/** @param {number[]} row */
const largest = (row) => row.indexOf(Math.max(...row));
/** @param {number} n @param {string} one */
const count = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

/** The number that a step's sentence tells; tests compute it again. @param {Stages} s @param {Setting} setting @returns {number} */
export function told(s, { token: i, other: j, step }) {
  const row = [s.scores, s.scaled][step - 3];
  if (step === 0) return Math.hypot(...s.x[i]);
  if (step === 1) return Math.hypot(...s.q[i]);
  if (step === 2) return Math.hypot(...s.k[j]);
  if (step === 5) return s.masked[i].filter((e) => e !== -Infinity).length;
  if (step === 6) return Math.max(...s.weights[i]);
  if (step === 7) return s.weights[i][j];
  return step === 8 ? s.context[i][0] : Math.max(...row[i]);
}

/** The other places of the same word. @param {string[]} words @param {number} i */
function twins(words, i) {
  return words.flatMap((word, t) => (word === words[i] && t !== i ? [t] : []));
}

/** The sentence of the step. @param {Stages} s @param {Setting} setting */
export function sentence(s, setting) {
  const { token: i, other: j, step, d_k, d_v, mask, positions } = setting;
  const { words } = s;
  const me = quote(words[i]);
  const [n, twin] = [words.length, twins(words, i)[0]];
  const again = twin === undefined ? "" : ` The same word stands at place ${twin + 1}`;
  const number = step === 5 ? String(told(s, setting)) : formatNumber(told(s, setting));
  if (step === 0) {
    const same = again && (positions ? `${again}, with other numbers, because positions are added.` : `${again}, with the same numbers.`);
    return `Word ${i + 1} of ${n}, ${me}, is a vector of 8 numbers, of length ${number}.${same} Choose who asks, then go on step by step.`;
  }
  if (step === 1) return `The matrix W_q turns the vector of ${me} into its query, ${count(d_k, "number")}, of length ${number}. It says what ${me} is looking for.`;
  if (step === 2) {
    const length = `The key of word ${j + 1}, ${quote(words[j])}, has length ${number}.`;
    return `The matrix W_k turns every word into a key, as wide as the query: what it offers to be found by. ${length}`;
  }
  if (step === 3) {
    const [best, back] = [largest(s.scores[i]), formatNumber(s.scores[j][i])];
    const way = i === j ? "" : ` Word ${i + 1} finds ${formatNumber(s.scores[i][j])} in word ${j + 1}; the other way round it is ${back}.`;
    return `The query of ${me} meets every key, its own too. The largest score is ${number}, for word ${best + 1}, ${quote(words[best])}.${way}`;
  }
  if (step === 4) return `All scores are divided by √d_k = ${formatNumber(Math.sqrt(d_k))}, so that wide vectors do not make large scores. The largest is now ${number}.`;
  if (step === 5) {
    const rule = { none: "There is no mask:", causal: "No word may see a later one:", others: "No word may see itself:" }[mask];
    return `${rule} ${me} may look at ${number} of ${count(n, "word")}. A score that is hidden becomes −∞.`;
  }
  if (step === 6) {
    if (told(s, setting) === 0) return `${me} may look at nothing: its largest weight is 0, and all others too.`;
    const column = s.weights.reduce((sum, row) => sum + row[largest(s.weights[i])], 0);
    const top = quote(words[largest(s.weights[i])]);
    return `The softmax makes shares that sum to 1. The largest weight is ${number}, on ${top}. That column sums to ${formatNumber(column)}: only rows are shares.`;
  }
  if (step === 7) return `The matrix W_v turns every word into a value, here ${count(d_v, "number")} wide: what it hands over. Of the value of word ${j + 1}, ${quote(words[j])}, ${me} takes the share ${number}.`;
  const closing = again ? `${again}; ${same(s.context[i], s.context[twin]) ? "its context is exactly the same, wherever it stands." : "its context is another one."}` : "";
  return `The shares are added up. The context of ${me} begins with ${number}; it is made of values, and nothing of the query is in it.${closing}`;
}

/** @param {number[]} a @param {number[]} b */
function same(a, b) {
  return a.every((x, c) => Math.abs(x - b[c]) < 1e-9);
}

/** "0.31 · 1.20 + ..." @param {number[]} a @param {number[]} b */
function products(a, b) {
  return a.map((x, c) => `${two(x)} · ${two(b[c])}`).join(" + ");
}

/**
 * How the number at row i, column j (or component c) comes about: [what, how, result].
 * @param {Stages} s @param {Setting} setting @param {number} i @param {number} j @param {number} c
 * @returns {[string, string, string]}
 */
export function working(s, { step, d_k, mask, positions, seed }, i, j, c) {
  const column = (/** @type {number[][]} */ M) => M.map((row) => row[c]);
  const part = `, component ${c + 1}`;
  const [one, two_] = [s.words[i], s.words[j]];
  if (step === 0) return [`${one}${part}`, `drawn from the word and the seed ${seed}${positions ? `, plus position ${i + 1}` : ""}`, two(s.x[i][c])];
  if (step === 1) return [`query of ${one}${part}`, products(s.x[i], column(s.W_q)), two(s.q[i][c])];
  if (step === 2) return [`key of ${two_}${part}`, products(s.x[j], column(s.W_k)), two(s.k[j][c])];
  const pair = `${one} asks ${two_}`;
  if (step === 3) return [pair, products(s.q[i], s.k[j]), two(s.scores[i][j])];
  if (step === 4) return [pair, `${two(s.scores[i][j])} / √${d_k}`, two(s.scaled[i][j])];
  if (step === 5) return [pair, s.masked[i][j] === -Infinity ? `hidden by the mask “${mask}”` : "may be seen, stays", two(s.masked[i][j])];
  if (step === 6) {
    const e = s.masked[i];
    const total = e.reduce((sum, x) => sum + Math.exp(x), 0);
    return [pair, `exp(${two(e[j])}) / ${two(total)}, the sum over the row`, two(s.weights[i][j])];
  }
  if (step === 7) return [`value of ${two_}${part}`, products(s.x[j], column(s.W_v)), two(s.v[j][c])];
  return [`context of ${one}${part}`, products(s.weights[i], column(s.v)), two(s.context[i][c])];
}
