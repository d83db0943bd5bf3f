// The translators of the course: they read once, then write word by word. What they look at can
// be cut.
import { argmax, cutGaze } from "./gaze.js";
import {
  add,
  additiveScores,
  embed,
  feedForward,
  gatedStep,
  layerNorm,
  linear,
  look,
  maxout,
  mix,
  remember,
  sinusoid,
} from "./layers.js";
import { gnmt, luong } from "./stacked.js";

/**
 * @typedef {import("./layers.js").Vector} Vector
 * @typedef {import("./layers.js").Tensors} Tensors
 * @typedef {import("./layers.js").Seen} Seen
 *
 * @typedef {object} Cuts
 * @property {[number, number][]} moves at word i, all of the gaze is on source word j
 * @property {number[]} forbidden source words that no word may look at
 * @property {boolean} uniform the gaze rests on all words alike
 * @property {boolean} backward whether the reader from right to left reads
 * @property {boolean} positions whether words know their place
 * @property {number[]} silent heads of cross-attention that are silenced, counted through all layers
 * @property {import("./language.js").Blade} blade what stands in place of such a head, or of the backward reader
 *
 * @typedef {object} Written
 * @property {number} symbol the likeliest word
 * @property {Vector} logits
 * @property {number[][]} weights of each head, for each source word; none where there is no gaze
 * @property {any} kept what the next step needs
 * @property {Vector[]} [joined] what the heads of each layer bring, one behind the other, before W_o
 *
 * @typedef {object} Translator
 * @property {number} heads
 * @property {(tokens: number[], cuts: Cuts) => Generator<void, any>} read piece by piece; returns what is kept before the first step
 * @property {(kept: any, symbol: number, step: number, cuts: Cuts) => Written} advance
 */

export const START = 1;
export const END = 2;
const HEADS = 4;
const PIECE = 5; // words that are read before a frame may end

/** @type {Cuts} */
export const UNCUT = {
  moves: [],
  forbidden: [],
  uniform: false,
  backward: true,
  positions: true,
  silent: [],
  blade: "zero",
};

/** The model whose weights these are. @param {Tensors} p @param {number[]} [other] words of another sentence @param {Record<string, string>} [about] Luong's choices: score, scope, D @returns {Translator} */
export function translator(p, other = [], about = {}) {
  if ("b" in p) return transformer(p, other);
  if ("W_c.weight" in p) return luong(p, about);
  if ("bottom_decoder.weight_hh" in p) return gnmt(p);
  return recurrent(p, "attention.v_a.weight" in p, other);
}

/** Two readers, one writer; it looks back before each word, or has one vector for all. @param {Tensors} p @param {boolean} looksBack @param {number[]} other @returns {Translator} */
function recurrent(p, looksBack, other) {
  /** The states of one reader, in the order in which it reads. @param {number[]} tokens @param {string} name */
  const follow = function* (tokens, name) {
    /** @type {Vector[]} */
    const states = [new Float64Array(p[`${name}.U`].shape[1])];
    for (const token of tokens) {
      const drive = linear(
        p[`${name}.W.weight`],
        embed(p["E_x.weight"], token),
        p[`${name}.W.bias`],
      );
      if (
        states.push(gatedStep(drive, states[states.length - 1], p[`${name}.U`])) % PIECE ===
        0
      )
        yield;
    }
    return states.slice(1);
  };
  const followBack = function* (/** @type {number[]} */ tokens) {
    return (yield* follow([...tokens].reverse(), "encoder.backward_unit")).reverse();
  };
  /** @type {Vector[] | undefined} */
  let elsewhere; // what the backward reader makes of the other sentence
  return {
    heads: 1,
    *read(tokens, { backward, blade }) {
      const ahead = yield* follow(tokens, "encoder.forward_unit");
      let back = yield* followBack(tokens);
      if (!backward && blade === "other") {
        const there = (elsewhere ??= yield* followBack(other));
        back = back.map((_, j) => there[j % there.length]);
      } else if (!backward)
        back = back.map((h) => (blade === "mean" ? embed(p["means.backward"], 0) : h.fill(0)));
      const annotations = ahead.map((h, j) => Float64Array.from([...h, ...back[j]]));
      const s = linear(p["W_s.weight"], back[0], p["W_s.bias"]).map(Math.tanh);
      const all = Float64Array.from([...ahead[ahead.length - 1], ...back[0]]);
      yield;
      const keys = looksBack
        ? annotations.map((h) => linear(p["attention.U_a.weight"], h))
        : [];
      return { s, annotations, keys, all };
    },
    advance({ s, annotations, keys, all }, symbol, step, cuts) {
      const y = embed(p["E_y.weight"], symbol);
      const asked = looksBack ? linear(p["attention.W_a.weight"], s) : s;
      const weights = looksBack
        ? [cutGaze(additiveScores(asked, keys, p["attention.v_a.weight"]), step, cuts)]
        : [];
      const context = looksBack ? mix(weights[0], annotations) : all;
      const pairs = add(
        add(linear(p["U_o.weight"], s), linear(p["V_o.weight"], y, p["V_o.bias"])),
        linear(p["C_o.weight"], context),
      );
      const logits = linear(p["W_o.weight"], maxout(pairs), p["W_o.bias"]);
      const drive = add(
        linear(p["decoder.W.weight"], y, p["decoder.W.bias"]),
        linear(p["C.weight"], context),
      );
      return {
        symbol: argmax(logits),
        logits,
        weights,
        kept: { s: gatedStep(drive, s, p["decoder.U"]), annotations, keys, all },
      };
    },
  };
}

/** Two stacks of blocks, normalised after each part. @param {Tensors} p @param {number[]} other @returns {Translator} */
function transformer(p, other) {
  const layers = (/** @type {string} */ stack) =>
    Object.keys(p).filter(
      (name) => name.startsWith(`core.${stack}.`) && name.endsWith(".feed_forward.W_1.bias"),
    ).length;
  const [encoders, decoders] = [layers("encoder"), layers("decoder")];
  const enter = (
    /** @type {string} */ E,
    /** @type {number} */ symbol,
    /** @type {number} */ place,
    /** @type {boolean} */ positions,
  ) => {
    const x = embed(p[E], symbol);
    const known = x.map((e) => e * Math.sqrt(x.length));
    return positions ? add(known, sinusoid(place, x.length)) : known;
  };
  const join = (
    /** @type {string} */ norm,
    /** @type {Vector} */ x,
    /** @type {Vector} */ found,
  ) => layerNorm(add(x, found), p[`${norm}.weight`], p[`${norm}.bias`]);
  /** What comes of each vector, a few at a time. @template T @param {Vector[]} x @param {(one: Vector) => T} make @returns {Generator<void, T[]>} */
  const each = function* (x, make) {
    const made = [];
    for (const one of x) if (made.push(make(one)) % PIECE === 0) yield;
    return made;
  };
  /** @type {Vector[][]} */
  const elsewhere = []; // what the heads bring for each word that the other sentence becomes
  /** What stands in place of a head; null for nothing. @param {Cuts} cuts @param {number} step @param {number} l @param {number} h */
  const instead = ({ blade }, step, l, h) => {
    if (blade === "zero") return null;
    const all =
      blade === "mean" ? embed(p["means.context"], l) : elsewhere[step % elsewhere.length][l];
    const d = all.length / HEADS;
    return all.subarray(h * d, (h + 1) * d);
  };
  /** @type {Translator} */
  const model = {
    heads: HEADS,
    *read(tokens, { positions, silent, blade }) {
      if (silent.length && blade === "other" && !elsewhere.length) {
        /** @type {Vector[][]} */
        const found = [];
        for (
          let kept = yield* model.read(other, UNCUT), symbol = START;
          symbol !== END && found.length < 2 * other.length;
          yield
        ) {
          const word = model.advance(kept, symbol, found.length, UNCUT);
          found.push(/** @type {Vector[]} */ (word.joined));
          [kept, symbol] = [word.kept, word.symbol];
        }
        elsewhere.push(...found);
      }
      let x = tokens.map((token, j) => enter("E_x.weight", token, j, positions));
      for (let l = 0; l < encoders; l++) {
        const block = `core.encoder.${l}`;
        const seen = yield* each(x, (one) => remember(p, `${block}.attention`, one));
        x = yield* each(x, (one) => {
          const met = join(
            `${block}.norms.0`,
            one,
            look(p, `${block}.attention`, one, seen, { heads: HEADS }).found,
          );
          return join(`${block}.norms.1`, met, feedForward(p, `${block}.feed_forward`, met));
        });
      }
      /** @type {Seen[][]} */
      const memories = [];
      for (let l = 0; l < decoders; l++)
        memories.push(yield* each(x, (one) => remember(p, `core.decoder.${l}.cross`, one)));
      return { memories, past: memories.map(() => /** @type {Seen[]} */ ([])) };
    },
    advance({ memories, past }, symbol, step, cuts) {
      let y = enter("E_y.weight", symbol, step, cuts.positions);
      /** @type {number[][]} */
      let weights = [];
      /** @type {Vector[]} */
      const joined = [];
      const kept = past.map((/** @type {Seen[]} */ before, /** @type {number} */ l) => {
        const block = `core.decoder.${l}`;
        const seen = [...before, remember(p, `${block}.attention`, y)];
        y = join(
          `${block}.norms.0`,
          y,
          look(p, `${block}.attention`, y, seen, { heads: HEADS }).found,
        );
        const silent = cuts.silent.map((h) => h - l * HEADS);
        const across = look(p, `${block}.cross`, y, memories[l], {
          heads: HEADS,
          gaze: (scores) => cutGaze(scores, step, cuts),
          silent,
          put: (h) => instead(cuts, step, l, h),
        });
        weights = across.weights;
        joined.push(across.joined);
        y = join(`${block}.norms.1`, y, across.found);
        y = join(`${block}.norms.2`, y, feedForward(p, `${block}.feed_forward`, y));
        return seen;
      });
      const logits = linear(p["E_y.weight"], y, p.b);
      return {
        symbol: argmax(logits),
        logits,
        weights,
        joined,
        kept: { memories, past: kept },
      };
    },
  };
  return model;
}

/**
 * A translation that is written as far as it is asked for: the likeliest word is fed back in.
 * @param {Translator} model
 * @param {number[]} tokens
 * @param {Cuts} cuts
 * @param {number} longest words after which it is cut off
 */
export function translation(model, tokens, cuts, longest) {
  /** @type {Written[]} */
  const written = [];
  /** @type {any} */
  let kept = null;
  const reading = model.read(tokens, cuts);
  const last = () => written[written.length - 1];
  const ended = () =>
    written.length > 0 && (last().symbol === END || written.length === longest);
  return {
    written,
    ended,
    /** A piece of the reading, or one more word, unless all is written: each fits into a frame. */
    next() {
      if (ended()) return;
      if (kept === null) {
        const { done, value } = reading.next();
        if (done) kept = value;
        return;
      }
      written.push(
        model.advance(kept, written.length ? last().symbol : START, written.length, cuts),
      );
      kept = last().kept;
    },
  };
}
