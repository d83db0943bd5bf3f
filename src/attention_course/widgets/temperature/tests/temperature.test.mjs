import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { describe, sweep, temper, weightText } from "../maths.js";

const settings = JSON.parse(readFileSync(new URL("./temperature.json", import.meta.url), "utf8"));
const example = [15, 60, 15, 35];
const words = ["word 1", "word 2", "word 3", "word 4"];

/** The largest difference from the reference, in units of the reference's number. */
function worst(compute) {
  let most = 0;
  for (const { scores, temperature, weights, entropy } of settings) {
    const here = compute(scores, temperature);
    weights.forEach((w, i) => (most = Math.max(most, w === 0 ? here.weights[i] : Math.abs(here.weights[i] / w - 1))));
    most = Math.max(most, Math.abs(here.entropy - entropy));
  }
  return most;
}

test("weights and entropy are the reference's, over more than 200 settings", () => {
  assert.ok(settings.length >= 200);
  assert.ok(worst(temper) < 1e-12, String(worst(temper)));
});

test("negative control: a temperature that multiplies is seen", () => {
  assert.ok(worst((scores, t) => temper(scores, 1 / t)) > 0.5);
});

test("the worked example has the weights of its chapter, in double precision", () => {
  const { weights, top, second } = temper(example, 1);
  assert.deepEqual([top, second], [1, 3]);
  assert.ok(Math.abs(weights[0] / 2.86e-20 - 1) < 0.01 && Math.abs(weights[3] / 1.39e-11 - 1) < 0.01);
});

test("a weight that only rounds to 1 says what is missing", () => {
  assert.equal(weightText(1, 1.4e-11), "1 − 1.4 × 10⁻¹¹");
  assert.equal(weightText(1, 0), "1.000");
  assert.equal(weightText(0.25, 0.75), "0.250");
  assert.equal(weightText(2.9e-20, 1), "2.9 × 10⁻²⁰");
});

test("the read-out says who leads, by how much, and how far from uniform that is", () => {
  assert.equal(
    describe(example, 10, words),
    "Word 2 gets 0.906 of the weight. A lead of 25 in score, divided by 10, is a lead of 12.2 to 1 in weight over word 4. Entropy 0.376 nats, of at most 1.39.",
  );
  assert.match(describe(example, 1, words), /^Word 2 gets all but 1\.4 × 10⁻¹¹ of the weight\. A lead of 25 in score is/);
  assert.match(describe([2, 2, 0], 1, words), /^2 words share the highest score/);
});

test("the sweep runs from 1 to 100 in equal ratios", () => {
  const t = sweep(1, 100, 5);
  assert.deepEqual([t[0], t[2], t[4]], [1, 10, 100]);
});
