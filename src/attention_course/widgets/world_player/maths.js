// The player's translations: written as far as they are shown, and kept while nothing changes.
import { vocabulary } from "../models/words.js";
import { translation, translator } from "../models/translators.js";

/**
 * @typedef {import("../models/translators.js").Cuts} Cuts
 * @typedef {ReturnType<ReturnType<typeof loadedOf>>} Loaded a model and its words
 * @typedef {ReturnType<typeof translation>} Run
 *
 * @typedef {"fixed" | "attention" | "transformer" | "transformer_2" | "luong" | "luong_dot" | "luong_concat" | "luong_location" | "local_m" | "local_p" | "gnmt"} Model
 * @typedef {Cuts & {sentence: string, model: Model, step: number, speed: number, chosen: number, head: number, truth?: boolean}} State
 */

/** What makes a translator with its words of its weights. @param {string} other another sentence */
export function loadedOf(other) {
  return (/** @type {import("../models/tensors.js").Weights} */ { tensors, about }) => {
    const [source, target] = [vocabulary(about.english), vocabulary(about.french)];
    return {
      model: translator(tensors, source.encode(other.split(" ")), about),
      source,
      target,
    };
  };
}

/** The layers of a model whose heads can be silenced. @param {State["model"]} model */
export function layersOf(model) {
  return { transformer: 1, transformer_2: 2 }[/** @type {string} */ (model)] ?? 0;
}

/** The blade matters where something is silenced. @param {State} state @returns {Cuts} */
export function cutsOf({ moves, forbidden, uniform, backward, positions, silent, blade }) {
  return {
    moves,
    forbidden,
    uniform,
    backward,
    positions,
    silent,
    blade: silent.length || !backward ? blade : "zero",
  };
}

/** The cuts that this sentence and this model have. @param {State} state @param {number} heads in a layer @param {number} words */
export function cutsMade(
  { model, moves, forbidden, uniform, backward, positions, silent },
  heads,
  words,
) {
  if (model === "fixed") return []; // it looks at nothing
  const all = heads * layersOf(model);
  const own = [
    ...(backward || model !== "attention" ? [] : ["backward"]),
    ...(positions || !all ? [] : ["positions"]),
    ...silent.filter((h) => h < all).map((h) => `silent ${h}`),
  ];
  const gone = forbidden.some((j) => j < words) ? ["forbidden"] : [];
  const elsewhere = moves.some(([, j]) => j < words) ? ["moves"] : [];
  return [...(uniform ? ["uniform"] : []), ...own, ...gone, ...elsewhere];
}

/** Runs by what they depend on; the last few are kept. */
export function runs(most = 6) {
  /** @type {Map<string, Run>} */
  const kept = new Map();
  return {
    /** @param {string} name @param {Loaded} loaded @param {string[]} words @param {Cuts} cuts @param {number} longest */
    get(name, { model, source }, words, cuts, longest) {
      const key = JSON.stringify([name, words, cuts]);
      const run = kept.get(key) ?? translation(model, source.encode(words), cuts, longest);
      kept.delete(key);
      kept.set(key, run); // the newest is last
      if (kept.size > most) kept.delete(/** @type {string} */ (kept.keys().next().value));
      return run;
    },
  };
}

/** Write words until so many are there or the time is up; whether all are there. @param {Run[]} all @param {number} words @param {() => boolean} late */
export function writeOn(all, words, late) {
  for (const run of all) {
    while (run.written.length < words && !run.ended()) {
      if (late()) return false;
      run.next();
    }
  }
  return true;
}

/** The weights of one head, from 1, or their mean. @param {number[][]} weights @param {number} head */
export function shownWeights(weights, head) {
  if (!weights.length) return [];
  if (weights.length === 1) return weights[0];
  if (head) return weights[head - 1];
  return weights[0].map(
    (_, j) => weights.reduce((sum, row) => sum + row[j], 0) / weights.length,
  );
}

/** The same, each row computed once: what is drawn of it can be kept. */
export function rowsOfHeads() {
  /** @type {WeakMap<number[][], number[][]>} */
  const known = new WeakMap();
  return (/** @type {number[][]} */ weights, /** @type {number} */ head) => {
    const rows = known.get(weights) ?? [];
    known.set(weights, rows);
    return (rows[head] ??= shownWeights(weights, head));
  };
}

/** Moves with the gaze of one word put on another, or let go. @param {[number, number][]} moves @param {number} i @param {number} j -1 to let go @returns {[number, number][]} */
export function moved(moves, i, j) {
  const others = moves.filter(([at]) => at !== i);
  return j < 0
    ? others
    : [...others, /** @type {[number, number]} */ ([i, j])].sort((a, b) => a[0] - b[0]);
}

/**
 * Two sentences side by side: the longest run of words that both have in the same order, with
 * others between. The end mark is no word.
 * @param {string[]} written @param {string[]} uncut
 * @returns {{fresh: boolean[], lost: boolean[]}} which words only the one has, and only the other
 */
export function aligned(written, uncut) {
  const longest = Array.from(
    { length: written.length + 1 },
    () => new Uint8Array(uncut.length + 1),
  ); // of what follows
  for (let i = written.length - 1; i >= 0; i--) {
    for (let j = uncut.length - 1; j >= 0; j--) {
      longest[i][j] =
        written[i] === uncut[j]
          ? longest[i + 1][j + 1] + 1
          : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const [fresh, lost] = [written, uncut].map((words) => words.map((word) => word !== "(end)"));
  for (let i = 0, j = 0; i < written.length && j < uncut.length; ) {
    if (written[i] === uncut[j]) fresh[i++] = lost[j++] = false;
    else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  }
  return { fresh, lost };
}
