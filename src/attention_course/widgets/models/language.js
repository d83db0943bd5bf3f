// The course's language model: it reads a sentence at once, and each of its parts can be cut
// (attention_course.widgets.living_sentence.read, in JavaScript).
import { softmax } from "../kit/attention.js";
import {
  add,
  embed,
  feedForward,
  hiddenLayer,
  layerNorm,
  linear,
  look,
  remember,
} from "./layers.js";

/**
 * @typedef {import("./layers.js").Vector} Vector
 * @typedef {import("./layers.js").Tensors} Tensors
 * @typedef {import("./layers.js").Seen} Seen
 *
 * @typedef {object} Looked what the words asked in one layer, and what they found
 * @property {Vector[]} q of all heads, one behind the other
 * @property {Seen[]} seen keys and values
 * @property {number[][][]} weights of each head, for each word, over all words
 * @property {Vector[]} joined what the heads bring, one behind the other, before W_o
 *
 * @typedef {object} Reading
 * @property {Looked[]} looked by layer
 * @property {Vector[][]} parts what was added to the stream: embedding, positions, then attention and feed-forward part of each layer
 * @property {Vector[][]} stream the stream after each of these
 * @property {(t: number) => Vector} logits of what follows word t
 */

/** @typedef {"zero" | "mean" | "other"} Blade what stands in place of a part that is cut: nothing, its mean over many sentences, or what it gives for another */

export const HEADS = 4;

/** The model whose weights these are. @param {Tensors} p @param {number[]} order where places go when they are shuffled @param {number[]} [other] another sentence, as long as any that is read */
export function languageModel(p, order, other = []) {
  const layers = Object.keys(p).filter((name) =>
    name.endsWith(".feed_forward.W_1.bias"),
  ).length;
  const norm = (/** @type {string} */ name, /** @type {Vector} */ x) =>
    layerNorm(x, p[`${name}.weight`], p[`${name}.bias`]);

  /** What the output layer makes of a vector of the stream. @param {Vector} x */
  const spoken = (x) => linear(p["E.weight"], norm("end", x));

  /** The hidden layer of a block's feed-forward part, from what it is given. @param {number} layer from 1 @param {Vector} x of the stream */
  const hidden = (layer, x) =>
    hiddenLayer(p, `blocks.${layer - 1}.feed_forward`, norm(`blocks.${layer - 1}.norms.1`, x));

  /** @param {number[]} tokens @param {string[]} cuts */
  const places = (tokens, cuts) => {
    const shuffled = order.filter((place) => place < tokens.length);
    return tokens.map((_, t) => {
      if (cuts.includes("positions-mean")) return embed(p["means.positions"], 0);
      const place = embed(
        p["positions.table"],
        cuts.includes("positions-shuffled") ? shuffled[t] : t,
      );
      return cuts.includes("positions-none") ? place.fill(0) : place;
    });
  };

  /** @type {Reading | undefined} */
  let elsewhere;
  const ofOther = () => (elsewhere ??= read(other, []));

  /** What stands in place of a part of a layer for word t; null for nothing. @param {Blade} blade @param {"context" | "attention" | "feed-forward"} part @param {number} layer from 1 @param {number} t @returns {Vector | null} */
  const instead = (blade, part, layer, t) => {
    if (blade === "zero") return null;
    if (blade === "other") {
      const { looked, parts } = ofOther();
      return part === "context"
        ? looked[layer - 1].joined[t]
        : parts[2 * layer + Number(part === "feed-forward")][t];
    }
    if (part === "feed-forward") return embed(p["means.feed_forward"], layer - 1);
    const context = embed(p["means.context"], layer - 1);
    const out = `blocks.${layer - 1}.attention.W_o`;
    return part === "context" ? context : linear(p[`${out}.weight`], context, p[`${out}.bias`]);
  };

  /** @param {Vector[]} x @param {number} layer from 1 @param {string[]} cuts @param {Blade} blade */
  const attend = (x, layer, cuts, blade) => {
    const name = `blocks.${layer - 1}.attention`;
    const seen = x.map((one) => remember(p, name, one));
    const silent = Array.from({ length: HEADS }, (_, h) => h).filter((h) =>
      cuts.includes(`head-${layer}-${h + 1}`),
    );
    const unscale = Math.sqrt(x[0].length / HEADS);
    const gaze = (/** @type {number[]} */ scores) => {
      if (cuts.includes(`uniform-${layer}`)) return scores.map(() => 1 / scores.length);
      return softmax(cuts.includes("scale") ? scores.map((e) => e * unscale) : scores);
    };
    const rows = x.map((one, t) => {
      const context = silent.length ? instead(blade, "context", layer, t) : null;
      const width = one.length / HEADS;
      const put = (/** @type {number} */ h) =>
        context?.subarray(h * width, (h + 1) * width) ?? null;
      return look(p, name, one, cuts.includes("mask") ? seen : seen.slice(0, t + 1), {
        heads: HEADS,
        gaze,
        silent,
        put,
      });
    });
    const whole = (/** @type {number[]} */ row) => [
      ...row,
      ...Array(x.length - row.length).fill(0),
    ];
    const weights = Array.from({ length: HEADS }, (_, h) =>
      rows.map((row) => whole(row.weights[h])),
    );
    return {
      q: rows.map((row) => row.q),
      seen,
      weights,
      found: rows.map((row) => row.found),
      joined: rows.map((row) => row.joined),
    };
  };

  /** @param {number[]} tokens @param {string[]} cuts @param {Blade} [blade] @returns {Reading} */
  const read = (tokens, cuts, blade = "zero") => {
    const known = tokens.map((token) => embed(p["E.weight"], token));
    const parts = [
      known.map((x) => x.map((e) => e * Math.sqrt(x.length))),
      places(tokens, cuts),
    ];
    const stream = [parts[0], parts[0].map((x, t) => add(x, parts[1][t]))];
    /** @type {Looked[]} */
    const looked = [];
    for (let layer = 1; layer <= layers; layer++) {
      ["attention", "feed-forward"].forEach((part, i) => {
        const before = stream[stream.length - 1];
        const z = before.map((x) => norm(`blocks.${layer - 1}.norms.${i}`, x));
        if (i === 0) looked.push(attend(z, layer, cuts, blade));
        const found =
          i === 0
            ? /** @type {any} */ (looked[layer - 1]).found
            : z.map((x) => feedForward(p, `blocks.${layer - 1}.feed_forward`, x));
        const none = cuts.includes(`layer-${layer}`) || cuts.includes(`${part}-${layer}`);
        const alone = cuts.includes(`residual-${layer}`); // what was there before is not kept
        const added = before.map((x, t) => {
          const put = none
            ? instead(blade, /** @type {"attention" | "feed-forward"} */ (part), layer, t)
            : found[t];
          return x.map((e, c) => (put ? put[c] : 0) - (alone && !none ? e : 0));
        });
        parts.push(added);
        stream.push(before.map((x, t) => add(x, added[t])));
      });
    }
    /** @type {Vector[]} */
    const kept = [];
    return {
      looked,
      parts,
      stream,
      logits: (t) => (kept[t] ??= spoken(stream[stream.length - 1][t])),
    };
  };
  return { layers, read, spoken, hidden };
}

/** Minus the logarithm of what a symbol is given. @param {ArrayLike<number>} logits @param {number} symbol */
export function surprise(logits, symbol) {
  let [top, sum] = [-Infinity, 0];
  for (let i = 0; i < logits.length; i++) top = Math.max(top, logits[i]);
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - top);
  return Math.log(sum) + top - logits[symbol];
}
