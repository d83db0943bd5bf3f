import assert from "node:assert/strict";
import { test } from "node:test";

import { sweep, temper, tell, weightText } from "../maths.js";

const example = [15, 60, 15, 35];
const words = ["word 1", "word 2", "word 3", "word 4"];

test("the worked example has the weights of its chapter, in double precision", () => {
  const { weights, top, second } = temper(example, 1);
  assert.deepEqual([top, second], [1, 3]);
  assert.ok(
    Math.abs(weights[0] / 2.86e-20 - 1) < 0.01 && Math.abs(weights[3] / 1.39e-11 - 1) < 0.01,
  );
});

test("a weight that only rounds to 1 says what is missing", () => {
  assert.equal(weightText(1, 1.4e-11), "1 − 1.4 × 10⁻¹¹");
  assert.equal(weightText(1, 0), "1.000");
  assert.equal(weightText(0.25, 0.75), "0.250");
  assert.equal(weightText(2.9e-20, 1), "2.9 × 10⁻²⁰");
});

test("the read-out says who leads, by how much, and how far from uniform that is", () => {
  assert.equal(
    tell(example, 10, words),
    "Word 2 gets 0.906 of the weight. A lead of 25 in score, divided by 10, is a lead of 12.2 to 1 in weight over word 4. Entropy 0.376 nats, of at most 1.39.",
  );
  assert.match(
    tell(example, 1, words),
    /^Word 2 gets all but 1\.4 × 10⁻¹¹ of the weight\. A lead of 25 in score is/,
  );
  assert.match(tell([2, 2, 0], 1, words), /^2 words share the highest score/);
});

test("the sweep runs from 1 to 100 in equal ratios", () => {
  const t = sweep(1, 100, 5);
  assert.deepEqual([t[0], t[2], t[4]], [1, 10, 100]);
});
