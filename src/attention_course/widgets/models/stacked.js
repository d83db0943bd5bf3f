// The translators of stacked LSTMs: Luong's, which looks back after its step, and Google's of 2016.
import { argmax, cutGaze } from "./gaze.js";
import { add, additiveScores, dotScores, embed, linear, mix } from "./layers.js";

/**
 * @typedef {import("./layers.js").Vector} Vector
 * @typedef {import("./layers.js").Tensors} Tensors
 * @typedef {import("./translators.js").Translator} Translator
 * @typedef {{ h: Vector, m: Vector }} Memory output and cell of an LSTM
 */

const PIECE = 5; // words that are read before a frame may end

/** One behind the other. @param {Vector[]} parts @returns {Vector} */
const joined = (...parts) => Float64Array.from(parts.flatMap((x) => [...x]));

/** @param {number} d @returns {Memory} */
const rest = (d) => ({ h: new Float64Array(d), m: new Float64Array(d) });

const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/** One step of an LSTM. Rows, as torch has them: input gate, forget gate, candidate, output gate. @param {Tensors} p @param {string} name @param {string} end of the names of its tensors @param {Vector} x @param {Memory} before @returns {Memory} */
export function lstmStep(p, name, end, x, before) {
  const d = before.h.length;
  const drive = add(
    linear(p[`${name}.weight_ih${end}`], x, p[`${name}.bias_ih${end}`]),
    linear(p[`${name}.weight_hh${end}`], before.h, p[`${name}.bias_hh${end}`]),
  );
  const m = before.m.map(
    (old, i) => sigmoid(drive[d + i]) * old + sigmoid(drive[i]) * Math.tanh(drive[2 * d + i]),
  );
  return { h: m.map((one, i) => sigmoid(drive[3 * d + i]) * Math.tanh(one)), m };
}

/** A matrix with rows for columns. @param {import("./tensors.js").Tensor} W */
function transposed({ shape: [n, m], data }) {
  const turned = data.map((_, i) => data[(i % n) * m + Math.floor(i / n)]);
  return { shape: [m, n], data: turned };
}

/** Luong's four scores of a query, for keys that are made ready once. @type {Record<string, (p: Tensors, states: Vector[]) => (h: Vector) => number[]>} */
const SCORES = {
  dot: (_, states) => (h) => dotScores(h, states, 1),
  general({ "attention.score.W": W }, states) {
    const keys = states.map((k) => linear(W, k));
    return (h) => dotScores(h, keys, 1);
  },
  concat({ "attention.score.W": W, "attention.score.w_v": v }, states) {
    const [both, none] = [transposed(W), new Float64Array(W.shape[0] / 2)];
    const keys = states.map((k) => linear(both, joined(none, k)));
    return (h) => additiveScores(linear(both, joined(h, none)), keys, v);
  },
  location({ "attention.score.W": W }, states) {
    const places = transposed(W);
    return (h) => {
      const scores = linear(places, h);
      return states.map((_, j) => scores[j] ?? -Infinity);
    };
  },
};

/** Luong's translator with input feeding, by what it was trained with. @param {Tensors} p @param {Record<string, string>} about score, scope, and D, half the width of a local window @returns {Translator} */
export function luong(p, { score, scope, D }) {
  const d = p["W_c.weight"].shape[0];
  /** One step in every layer, from the bottom up. @param {string} side @param {Vector} x @param {Memory[]} states */
  const climb = (side, x, states) =>
    states.map((before, l) => {
      const after = lstmStep(p, side, `_l${l}`, x, before);
      x = after.h;
      return after;
    });
  /** Where the window is: at the step's own place, or where the state predicts. @param {Vector} h @param {number} step @param {number} n */
  const centre = (h, step, n) => {
    if (scope !== "local-p") return step;
    const hidden = linear(p["attention.predictor.W_p.weight"], h).map(Math.tanh);
    return n * sigmoid(linear(p["attention.predictor.v_p.weight"], hidden)[0]);
  };
  const reach = scope === "global" ? Infinity : Number(D);
  return {
    heads: 1,
    *read(tokens) {
      let states = Object.keys(p)
        .filter((name) => name.startsWith("encoder.weight_ih"))
        .map(() => rest(d));
      /** @type {Vector[]} */
      const memory = [];
      for (const token of tokens) {
        states = climb("encoder", embed(p["E_x.weight"], token), states);
        if (memory.push(states[states.length - 1].h) % PIECE === 0) yield;
      }
      return { states, fed: new Float64Array(d), memory, scores: SCORES[score](p, memory) };
    },
    advance({ states, fed, memory, scores }, symbol, step, cuts) {
      const after = climb("decoder", joined(embed(p["E_y.weight"], symbol), fed), states);
      const { h } = after[after.length - 1];
      const at = centre(h, step, memory.length);
      const off = memory.map((/** @type {Vector} */ _, /** @type {number} */ j) =>
        Math.abs(j - at),
      );
      const seen = scores(h).map((/** @type {number} */ e, /** @type {number} */ j) =>
        off[j] <= reach ? e : -Infinity,
      );
      const own = cutGaze(seen, step, cuts);
      // A gaze that is moved, or the same everywhere, takes no notice of the Gaussian.
      const forced = cuts.uniform || cuts.moves.some(([i]) => i === step);
      const weights =
        scope === "local-p" && !forced
          ? own.map((w, j) => w * Math.exp(-2 * (off[j] / reach) ** 2))
          : own;
      const found = linear(p["W_c.weight"], joined(mix(weights, memory), h)).map(Math.tanh);
      const logits = linear(p["W_s.weight"], found);
      return {
        symbol: argmax(logits),
        logits,
        weights: [weights],
        kept: { states: after, fed: found, memory, scores },
      };
    },
  };
}

/** Google's: both ways at the bottom, residuals from the third layer on, and the bottom writer asks. @param {Tensors} p @returns {Translator} */
export function gnmt(p) {
  const d = p["bottom_decoder.weight_hh"].shape[1];
  const above = Object.keys(p)
    .filter((n) => /^decoder.*weight_hh/.test(n))
    .map((_, l) => l);
  /** A layer's output at each word. @param {Vector[]} x @param {string} name */
  const run = function* (x, name) {
    let state = rest(d);
    /** @type {Vector[]} */
    const out = [];
    for (const one of x) {
      state = lstmStep(p, name, "_l0", one, state);
      if (out.push(state.h) % PIECE === 0) yield;
    }
    return out;
  };
  return {
    heads: 1,
    *read(tokens) {
      const words = tokens.map((token) => embed(p["E_x.weight"], token));
      const ahead = yield* run(words, "bottom_encoder.forward_unit");
      const back = yield* run([...words].reverse(), "bottom_encoder.backward_unit");
      back.reverse();
      let x = ahead.map((h, j) => joined(h, back[j]));
      for (const l of above) {
        const m = yield* run(x, `encoder.layers.${l}`);
        x = l ? m.map((one, j) => add(one, x[j])) : m;
      }
      const keys = x.map((h) => linear(p["attention.U_a.weight"], h));
      return { memory: x, keys, bottom: rest(d), states: above.map(() => rest(d)) };
    },
    advance({ memory, keys, bottom, states }, symbol, step, cuts) {
      const asked = linear(p["attention.W_a.weight"], bottom.h);
      const scores = additiveScores(asked, keys, p["attention.v_a.weight"]);
      const weights = cutGaze(scores, step, cuts);
      const context = mix(weights, memory);
      const y = embed(p["E_y.weight"], symbol);
      const moved = lstmStep(p, "bottom_decoder", "", joined(y, context), bottom);
      let x = moved.h;
      const after = above.map((l) => {
        const next = lstmStep(p, `decoder.layers.${l}`, "_l0", joined(x, context), states[l]);
        x = l ? add(next.h, x) : next.h;
        return next;
      });
      const logits = linear(p["W_o.weight"], x, p["W_o.bias"]);
      return {
        symbol: argmax(logits),
        logits,
        weights: [weights],
        kept: { memory, keys, bottom: moved, states: after },
      };
    },
  };
}
