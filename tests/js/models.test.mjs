import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { softmax } from "../../src/attention_course/widgets/kit/attention.js";
import { cutGaze } from "../../src/attention_course/widgets/models/gaze.js";
import * as layers from "../../src/attention_course/widgets/models/layers.js";
import { fromHalf, readTensors } from "../../src/attention_course/widgets/models/tensors.js";
import {
  translation,
  translator,
  UNCUT,
} from "../../src/attention_course/widgets/models/translators.js";
import { vocabulary } from "../../src/attention_course/widgets/models/words.js";
import { close, fixture } from "./fixtures.mjs";

const parts = fixture("model_parts");
const wholes = fixture("model_wholes");

const matrix = (rows) => ({
  shape: [rows.length, rows[0].length],
  data: Float64Array.from(rows.flat()),
});
const vector = (x) => ({ shape: [x.length], data: Float64Array.from(x) });
const floats = (x) => Float64Array.from(x);
const same = (got, wanted) =>
  got.length === wanted.length && [...got].every((x, i) => close(x, wanted[i], 1e-9, 1e-11));

/** Each layer on the inputs of a fixture, beside what the reference says. */
const COMPUTED = {
  gated: ({ drive, s, U, out }) => [layers.gatedStep(floats(drive), floats(s), matrix(U)), out],
  additive: ({ s, h, W_a, U_a, v_a, context }) => {
    const asked = layers.linear(matrix(W_a), s);
    const keys = h.map((row) => layers.linear(matrix(U_a), row));
    return [
      layers.mix(softmax(layers.additiveScores(asked, keys, vector(v_a))), h.map(floats)),
      context,
    ];
  },
  dot: ({ q, k, out }) => [layers.dotScores(q, k), out],
  maxout: ({ pairs, out }) => [layers.maxout(floats(pairs)), out],
  norm: ({ x, gain, shift, out }) => [
    layers.layerNorm(floats(x), vector(gain), vector(shift)),
    out,
  ],
  feed: ({ x, W_1, b_1, W_2, b_2, out }) => {
    const p = {
      "f.W_1.weight": matrix(W_1),
      "f.W_1.bias": vector(b_1),
      "f.W_2.weight": matrix(W_2),
      "f.W_2.bias": vector(b_2),
    };
    return [layers.feedForward(p, "f", floats(x)), out];
  },
  heads: (row) => {
    const { found, weights } = heads(row);
    return [
      [...found, ...weights.flat()],
      [...row.out, ...row.weights.flat()],
    ];
  },
  sinusoid: ({ place, out }) => [layers.sinusoid(place, out.length), out],
};

function heads({ x, seen, mask, silent, ...W }) {
  const p = Object.fromEntries(
    ["W_q", "W_k", "W_v", "W_o"].map((name) => [`a.${name}.weight`, matrix(W[name])]),
  );
  const kept = seen.map((one) => layers.remember(p, "a", floats(one)));
  const gaze = (scores) => softmax(scores.map((e, j) => (mask[j] ? e : -Infinity)));
  return layers.look(p, "a", floats(x), kept, { heads: 4, gaze, silent });
}

for (const [name, compute] of Object.entries(COMPUTED)) {
  test(`${name} is the reference's, on two sizes`, () => {
    assert.equal(parts.length, 2);
    for (const row of parts) assert.ok(same(...compute(row[name])));
  });
}

/** A wrong version of each, which the fixtures must tell from the right one. */
const WRONG = {
  gated: ({ s, ...row }) => ({ ...row, s: s.map((x) => -x) }), // the old state comes in with its sign turned
  additive: ({ v_a, ...row }) => ({ ...row, v_a: [...v_a].reverse() }),
  dot: ({ q, ...row }) => ({ ...row, q: q.map((x) => x * Math.sqrt(q.length)) }), // no scale
  maxout: ({ pairs, ...row }) => ({ ...row, pairs: [...pairs.slice(1), pairs[0]] }), // other neighbours
  norm: ({ gain, shift, ...row }) => ({ ...row, gain: shift, shift: gain }),
  feed: ({ b_1, ...row }) => ({ ...row, b_1: b_1.map((x) => -x) }),
  heads: ({ silent, ...row }) => ({ ...row, silent: [] }),
  sinusoid: ({ place, ...row }) => ({ ...row, place: place + 1 }),
};

for (const [name, spoil] of Object.entries(WRONG)) {
  test(`negative control: a wrong ${name} is seen on every size`, () => {
    for (const row of parts) assert.ok(!same(...COMPUTED[name](spoil(row[name]))));
  });
}

test("negative control: a mask that is left out is seen", () => {
  for (const { heads: row } of parts)
    assert.ok(!same(heads({ ...row, mask: row.mask.map(() => 1) }).found, row.out));
});

/** The logits of a small model whose next word is given, and not its own. */
function follow({ tensors, source, target, about }, cuts = UNCUT) {
  const model = translator(
    Object.fromEntries(
      Object.entries(tensors).map(([k, { shape, data }]) => [k, { shape, data: floats(data) }]),
    ),
    [],
    about,
  );
  const reading = model.read(source, cuts);
  let piece = reading.next();
  while (!piece.done) piece = reading.next();
  let kept = piece.value;
  return target.map((symbol, step) => {
    const written = model.advance(kept, symbol, step, cuts);
    kept = written.kept;
    return written;
  });
}

test("small models, whole, are the reference's loops: attention, fixed vector, Transformer with its cache, Luong's and Google's", () => {
  assert.equal(wholes.length, 10);
  for (const row of wholes) {
    const steps = follow(row);
    assert.ok(
      same(
        steps.flatMap(({ logits }) => [...logits]),
        row.logits.flat(),
      ),
    );
    if (row.weights)
      assert.ok(
        same(
          steps.flatMap(({ weights }) => weights[0]),
          row.weights.flat(),
        ),
      );
  }
});

test("negative control: each cut changes the logits of the model that it cuts", () => {
  const [attention, , transformer] = wholes;
  const cuts = [
    [attention, { backward: false }],
    [attention, { uniform: true }],
    [attention, { forbidden: [0] }],
    [attention, { moves: [[0, 4]] }],
    [transformer, { positions: false }],
    [transformer, { silent: [0] }],
    [transformer, { silent: [7] }],
    [transformer, { moves: [[2, 0]] }],
    ...wholes.slice(3).map((stacked) => [stacked, { uniform: true }]),
  ];
  for (const [row, cut] of cuts)
    assert.ok(
      !same(
        follow(row, { ...UNCUT, ...cut }).flatMap(({ logits }) => [...logits]),
        row.logits.flat(),
      ),
      JSON.stringify(cut),
    );
});

test("a moved gaze goes before all else, a forbidden word gets nothing, and all forbidden leaves nothing", () => {
  assert.deepEqual(
    cutGaze([1, 2, 3], 1, { ...UNCUT, moves: [[1, 0]], forbidden: [0] }),
    [1, 0, 0],
  );
  assert.equal(cutGaze([1, 2, 3], 0, { ...UNCUT, moves: [[1, 0]], forbidden: [0] })[0], 0);
  assert.deepEqual(
    cutGaze([1, 2, 3], 0, { ...UNCUT, forbidden: [2], uniform: true }),
    [0.5, 0.5, 0],
  );
  assert.deepEqual(cutGaze([1, 2], 0, { ...UNCUT, forbidden: [0, 1] }), [0, 0]);
});

test("a word before a cut stays as it was: what is written depends on the past alone", () => {
  for (const row of [wholes[0], wholes[2]]) {
    const [free, cut] = [follow(row), follow(row, { ...UNCUT, moves: [[2, 0]] })];
    assert.ok(
      same(
        cut.slice(0, 2).flatMap(({ logits }) => [...logits]),
        row.logits.slice(0, 2).flat(),
      ),
    );
    assert.ok(!same([...cut[2].logits], [...free[2].logits]));
  }
});

test("writing ends at the end mark, or where it is cut off", () => {
  const model = (end) => ({
    heads: 1,
    *read() {
      return 0;
    },
    advance: (kept) => ({
      symbol: kept === end ? 2 : 5,
      kept: kept + 1,
      logits: [],
      weights: [],
    }),
  });
  for (const [end, length] of [
    [3, 4],
    [99, 6],
  ]) {
    const run = translation(model(end), [3], UNCUT, 6);
    for (let i = 0; i < 20; i++) run.next();
    assert.equal(run.written.length, length);
    assert.ok(run.ended());
  }
});

test("a file of tensors is read: halves, singles, and bytes with a scale for each row, at any place in memory", () => {
  const header = {
    __metadata__: { french: "a" },
    b: { dtype: "F16", shape: [1], data_offsets: [0, 2] },
    W: { dtype: "I8", shape: [2, 2], data_offsets: [2, 6] },
    "W.scale": { dtype: "F16", shape: [2], data_offsets: [6, 10] },
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const numbers = [0x00, 0xc0, 127, -127, 1, 0, 0x00, 0x3c, 0x00, 0x38];
  const size = new Uint8Array(new BigUint64Array([BigInt(text.length)]).buffer);
  const whole = Uint8Array.from([7, ...size, ...text, ...numbers]);
  const { tensors, about } = readTensors(whole.subarray(1));
  assert.deepEqual(Object.keys(tensors), ["b", "W"]);
  assert.deepEqual([...tensors.b.data], [-2]);
  assert.deepEqual([...tensors.W.data], [127, -127, 0.5, 0]);
  assert.equal(about.french, "a");
});

test("sixteen bits become the number they stand for", () => {
  const cases = [
    [0x0000, 0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x0001, 2 ** -24],
    [0x7bff, 65504],
    [0x7c00, Infinity],
  ];
  for (const [bits, number] of cases) assert.equal(fromHalf(bits), number);
  assert.ok(Number.isNaN(fromHalf(0x7e00)));
});

test("a shipped model is read by its names", () => {
  const file = readFileSync(
    new URL(
      "../../src/attention_course/data/checkpoints/small_world/english-fixed.safetensors",
      import.meta.url,
    ),
  );
  const { tensors } = readTensors(file);
  assert.deepEqual(tensors["W_o.weight"].shape, [402, 48]);
  assert.ok(Object.values(tensors).every(({ data }) => data.every(Number.isFinite)));
});

test("words are numbered behind three marks", () => {
  const words = vocabulary("été\nâme");
  assert.deepEqual(words.encode(["âme", "été"]), [4, 3]);
  assert.equal(words.symbols[4], "âme");
});
