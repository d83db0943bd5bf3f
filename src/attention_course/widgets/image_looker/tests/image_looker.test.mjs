import assert from "node:assert/strict";
import { test } from "node:test";
import { classify, mapOf, patchify } from "../maths.js";
import { sentence, token } from "../words.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const { sizes, rows } = fixture("vision");
const tensors = Object.fromEntries(
  Object.entries(sizes).map(([name, shape], k) => {
    const n = shape.reduce((a, b) => a * b, 1);
    return [
      name,
      { shape, data: Float64Array.from({ length: n }, (_, i) => Math.sin(i + 7 * (k + 1))) },
    ];
  }),
);
const pixels = Array.from({ length: 784 }, (_, i) => Math.sin(i) ** 2);
const same = (got, wanted) =>
  got.length === wanted.length && [...got].every((x, i) => close(x, wanted[i], 0, 1e-5));
const other = Array.from({ length: 784 }, (_, i) => pixels[28 * (i % 28) + Math.floor(i / 28)]);
const seen = (cuts) => classify(tensors, pixels, { heads: 4, layers: 2 }, { other, ...cuts });

test("logits and weights are the reference's, with and without cuts", () => {
  assert.equal(rows.length, 4);
  for (const { cuts, logits, looks } of rows) {
    const found = seen(cuts);
    assert.ok(same(found.logits, logits));
    assert.ok(same(mapOf(found.weights[1], 3, 0), looks));
    assert.ok(same([found.chances.reduce((a, b) => a + b)], [1]));
  }
});

test("patches are cut row by row, and the mean of the heads is one look of shares", () => {
  const counted = Array.from({ length: 784 }, (_, i) => i);
  assert.deepEqual([...patchify(counted, 4)[8]].slice(0, 5), [116, 117, 118, 119, 144]);
  assert.ok(same([mapOf(seen({}).weights[0], 0, 2).reduce((a, b) => a + b)], [1]));
});

test("the sentence says what it shows, what the model says, and what was changed", () => {
  const state = {
    names: ["coat", "bag"],
    now: [0.75, 0.25],
    before: [0.1, 0.9],
    covered: [3],
    swapped: [],
    silent: [1, 2],
    blade: "mean",
    picture: 1,
    asks: 0,
    row: [0.5, 0.2, 0.3],
  };
  const wanted =
    "It shows: bag. The model says coat, with probability 0.75. With 1 patch covered and 2 heads silent (the mean over the training pictures instead). Untouched it says bag, with 0.90. In the map the class token looks most at row 1, column 2.";
  assert.equal(sentence(state), wanted);
  assert.ok(!sentence({ ...state, covered: [], silent: [] }).includes("Untouched"));
  assert.equal(token(49), "row 7, column 7");
});
