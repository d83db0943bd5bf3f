// What each chapter shows beside the sentence: further columns, cuts, and a picture of its own.
import { argmax, ahead, entropyOf, length, onPrevious, own } from "./maths.js";
import { mix } from "../models/layers.js";
import { softmax } from "../kit/attention.js";
import { make } from "../kit/elements.js";
import { meaning } from "./words.js";
import { heatMap, readout, strip } from "./view.js";

/**
 * @typedef {import("./maths.js").Reading} Reading
 * @typedef {import("./maths.js").State} State
 * @typedef {import("./view.js").Cell} Cell
 *
 * @typedef {object} Shown
 * @property {State} state
 * @property {number[]} tokens
 * @property {number[]} plain the same without an exchange
 * @property {string[]} texts
 * @property {number} at
 * @property {Reading} reading
 * @property {Reading} uncut
 * @property {number[]} weights
 * @property {boolean} cut
 * @property {string[]} symbols
 * @property {(x: Float64Array) => Float64Array} spoken
 * @property {number} heads
 * @property {number} layers
 * @property {(name: string) => string} colour
 * @property {Record<string, [number, number][]>} looks of each head over many sentences: how often it is right, and by chance
 */

/** @type {Record<string, string>} */
export const TITLES = {
  queries: "A trained head asks, on your sentence",
  scale: "A trained model without √d_k, on your sentence",
  heads: "Sixteen trained heads, on your sentence",
  mask: "A trained model without its mask, on your sentence",
  positions: "A trained model without positions, on your sentence",
  stream: "The residual stream of a trained model, on your sentence",
  whole: "A whole Transformer, on your sentence",
};

const LAYERS = [1, 2, 3, 4];
const each = (/** @type {string} */ part) => LAYERS.map((l) => [`${part}-${l}`, String(l)]);

/** Cuts by view: a legend, and pairs of a cut and its label. @type {Record<string, {legend: string, cuts: string[][]}[]>} */
export const GROUPS = {
  queries: [
    { legend: "Equal weights in layer", cuts: each("uniform") },
    { legend: "Cut the attention of layer", cuts: each("attention") },
    { legend: "Cut one head", cuts: [["head", "the one that is shown"]] },
  ],
  scale: [{ legend: "All heads of all layers", cuts: [["scale", "Do not divide by √d_k"]] }],
  heads: [
    {
      legend: "Cut heads (layer.head)",
      cuts: LAYERS.flatMap((l) => LAYERS.map((h) => [`head-${l}-${h}`, `${l}.${h}`])),
    },
  ],
  mask: [{ legend: "All heads of all layers", cuts: [["mask", "Lift the mask"]] }],
  positions: [
    {
      legend: "Position vectors",
      cuts: [
        ["positions-none", "Take them away"],
        ["positions-mean", "Their mean at every place"],
        ["positions-shuffled", "Shuffle them"],
      ],
    },
  ],
  stream: [
    { legend: "Cut layer", cuts: each("layer") },
    { legend: "only its attention", cuts: each("attention") },
    { legend: "only its feed-forward part", cuts: each("feed-forward") },
    { legend: "No residual connection in layer", cuts: each("residual") },
  ],
};

/** What a word's weights were without the cuts. @param {Shown} shown @returns {{heads: string[], cells: Cell[][]}} */
function before({ state, uncut, at, cut, tokens }) {
  if (!cut) return { heads: [], cells: [] };
  const weights = uncut.looked[state.layer - 1].weights[state.head - 1][at];
  return {
    heads: ["without cuts"],
    cells: tokens.map((_, t) => [{ text: weights[t].toFixed(2), value: weights[t], name: "" }]),
  };
}

/** @type {Record<string, (shown: Shown) => {heads: string[], cells: Cell[][]}>} */
export const COLUMNS = {
  none: before,
  stream: () => ({ heads: [], cells: [] }),
  queries({ state, reading, at, heads, texts, tokens }) {
    const { q, seen } = reading.looked[state.layer - 1];
    const of = (/** @type {Float64Array} */ x) => own(x, state.head, heads);
    const cells = tokens.map((_, t) => {
      if (t > at) return [];
      const score = of(q[at]).reduce((sum, e, c) => sum + e * of(seen[t].k)[c], 0);
      /** @type {Cell[]} */
      const row = [
        { text: score.toFixed(1).replace("-", "−"), value: score, name: `score-${t}` },
        { strip: of(seen[t].k), label: `key of ${texts[t]}` },
        { strip: of(seen[t].v), label: `value of ${texts[t]}` },
      ];
      return row;
    });
    return { heads: ["q · k", "key", "value"], cells };
  },
  mask({ reading, uncut, tokens, plain, cut }) {
    const given = (
      /** @type {Reading} */ of,
      /** @type {number[]} */ all,
      /** @type {number} */ t,
    ) => softmax(of.logits(t))[all[t + 1]];
    const cells = tokens.map((_, t) => {
      if (t + 1 === tokens.length) return [];
      const [p, q] = [given(reading, tokens, t), given(uncut, plain, t)];
      return [
        { text: p.toFixed(2), value: p, name: `given-${t}` },
        { text: cut ? q.toFixed(2) : "", value: q, name: `given-free-${t}` },
      ];
    });
    return { heads: ["p of the next word", cut ? "without cuts" : ""], cells };
  },
};

/** @param {string} caption @param {string[]} head @param {Node[][]} rows the first cell of each is its heading */
function tableOf(caption, head, rows) {
  const top = make("tr", "", {}, ...head.map((text) => make("th", "", { scope: "col" }, text)));
  return make(
    "table",
    "ac-table",
    {},
    make("caption", "", {}, caption),
    make("thead", "", {}, top),
    make("tbody", "", {}, ...rows.map((cells) => make("tr", "", {}, ...cells))),
  );
}

/** @param {string} text */
const heading = (text) => make("th", "", { scope: "row" }, text);

/** @type {Record<string, (shown: Shown & {choose: (values: Record<string, number>) => void}) => {elements: Node[], said: string}>} */
export const MORE = {
  queries({ state, reading, at, weights, heads, texts, colour }) {
    const { q, seen } = reading.looked[state.layer - 1];
    const of = (/** @type {Float64Array} */ x) => own(x, state.head, heads);
    const sum = mix(
      weights,
      seen.map(({ v }) => of(v)),
    );
    const vectors = [
      [`the query of “${texts[at]}”`, of(q[at])],
      ["what it takes away: the values, each times its weight", sum],
    ];
    const most = Math.max(
      ...vectors.flatMap(([, x]) => Array.from(/** @type {Float64Array} */ (x), Math.abs)),
    );
    const rows = vectors.map(([label, x]) =>
      make(
        "p",
        "ac-ls-vector",
        {},
        strip(/** @type {Float64Array} */ (x), most, colour, String(label)),
        make("span", "", {}, String(label)),
      ),
    );
    return { elements: rows, said: "" };
  },
  scale({ reading, uncut, layers }) {
    const rows = Array.from({ length: layers }, (_, l) => {
      const [a, b] = [entropyOf(uncut, l), entropyOf(reading, l)];
      return {
        a,
        b,
        cells: [
          heading(String(l + 1)),
          readout("td", `entropy-free-${l + 1}`, a, a.toFixed(2)),
          readout("td", `entropy-${l + 1}`, b, b.toFixed(2)),
        ],
      };
    });
    const mean = (/** @type {"a" | "b"} */ of) =>
      rows.reduce((sum, row) => sum + row[of], 0) / layers;
    const table = tableOf(
      "Entropy of the weights in nats, mean of all heads and words",
      ["layer", "as trained", "now"],
      rows.map(({ cells }) => cells),
    );
    return {
      elements: [table],
      said:
        mean("a") === mean("b")
          ? ""
          : `The mean entropy of the weights goes from ${mean("a").toFixed(2)} to ${mean("b").toFixed(2)} nats.`,
    };
  },
  heads({ state, reading, choose, colour, looks }) {
    const maps = reading.looked.flatMap(({ weights }, l) =>
      weights.map((rows, h) => {
        const share = onPrevious(rows);
        const label = readout(
          "span",
          `previous-${l + 1}-${h + 1}`,
          share,
          `${l + 1}.${h + 1}: ${share.toFixed(2)}`,
        );
        const off = state.cuts.includes(`head-${l + 1}-${h + 1}`);
        const button = make(
          "button",
          `ac-ls-small${off ? " ac-ls-off" : ""}`,
          {
            type: "button",
            "aria-pressed": String(state.layer === l + 1 && state.head === h + 1),
            "aria-label": `Show layer ${l + 1}, head ${h + 1}: ${share.toFixed(2)} of its weight on the word before${off ? ", cut" : ""}`,
          },
          heatMap(rows, colour),
          label,
        );
        button.addEventListener("click", () => choose({ layer: l + 1, head: h + 1 }));
        return button;
      }),
    );
    const hint =
      "All heads: a row for each word, dark where it looks; the number is its mean weight on the word before.";
    return {
      elements: [
        make("p", "ac-hint", {}, hint),
        make("div", "ac-ls-maps", {}, ...maps),
        make("p", "ac-hint", {}, meaning(state, looks)),
      ],
      said: "",
    };
  },
  mask({ reading, cut }) {
    const share = ahead(reading);
    const text = `${(100 * share).toFixed(0)} % of all weight goes to later words.`;
    return { elements: [readout("p", "ahead", share, text)], said: cut ? text : "" };
  },
  stream({ reading, at, symbols, spoken, colour, texts }) {
    const steps = reading.parts.map((part, s) => {
      const x = reading.stream[s][at];
      const logits = spoken(x);
      const symbol = argmax(logits);
      return {
        name:
          s < 2
            ? ["word", "position"][s]
            : `${s % 2 ? "feed-forward" : "attention"} ${Math.floor(s / 2)}`,
        x,
        added: length(part[at]),
        symbol,
        sure: Math.max(...softmax(logits)),
      };
    });
    const most = Math.max(...steps.flatMap(({ x }) => Array.from(x, Math.abs))) / 3;
    const rows = steps
      .map(({ name, x, added, symbol, sure }, s) => [
        heading(name),
        readout("td", `added-${s}`, added, added.toFixed(1)),
        readout("td", `length-${s}`, length(x), length(x).toFixed(1)),
        make("td", "", {}, strip(x, most, colour, `the stream after ${name}`)),
        readout("td", `says-${s}`, symbol, symbols[symbol]),
        readout("td", `sure-${s}`, sure, sure.toFixed(2)),
      ])
      .reverse();
    const table = tableOf(
      `The vector of “${texts[at]}” on its way up (read from below), and what the output layer would say of it`,
      ["after", "adds", "length", "vector", "says", "p"],
      rows,
    );
    return {
      elements: [
        make(
          "div",
          "ac-ls-scroll",
          { tabindex: 0, role: "region", "aria-label": "The residual stream" },
          table,
        ),
      ],
      said: "",
    };
  },
};
