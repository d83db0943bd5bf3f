import assert from "node:assert/strict";
import { test } from "node:test";
import { entropy, formatNumber, jacobianNorm, quantile, RandomState, softmax, softmaxJacobian } from "../../src/attention_course/widgets/kit/maths.js";
import { close, fixture } from "./fixtures.mjs";

const near = (got, wanted, text) => assert.ok(close(got, wanted, 4e-15, 1e-16), `${text}: ${got} is not ${wanted}`);

test("RandomState draws NumPy's normal and uniform numbers", () => {
  for (const { seed, first, last, uniform } of fixture("randoms")) {
    const draws = new RandomState(seed).fill(new Float64Array(3000));
    first.forEach((x, i) => near(draws[i], x, `seed ${seed}, draw ${i}`));
    last.forEach((x, i) => near(draws[2998 + i], x, `seed ${seed}, draw ${2998 + i}`));
    const random = new RandomState(seed);
    for (const x of uniform) assert.equal(random.uniform(), x);
  }
});

test("a seed that NumPy refuses is refused", () => {
  for (const seed of [-1, 0.5, 2 ** 32, NaN, "1"]) assert.throws(() => new RandomState(seed), /seed must be a whole number/);
});

test("softmax, Jacobian, its norm, entropy and quantiles equal the reference", () => {
  for (const row of fixture("maths")) {
    const p = softmax(row.x);
    row.softmax.forEach((x, i) => near(p[i], x, "softmax"));
    softmaxJacobian(row.softmax).forEach((line, i) => line.forEach((x, j) => assert.ok(close(x, row.jacobian[i][j], 1e-14, 1e-16))));
    assert.ok(close(jacobianNorm(row.softmax), row.norm, 1e-14));
    near(entropy(row.softmax), row.entropy, "entropy");
    const sorted = [...row.x].sort((a, b) => a - b);
    [0, 0.25, 0.5, 0.99, 1].forEach((q, i) => near(quantile(sorted, q), row.quantiles[i], "quantile"));
  }
});

test("softmax survives huge scores, and rows that are masked out", () => {
  assert.deepEqual(softmax([-1000, 1000]), [0, 1]);
  assert.deepEqual(softmax([-Infinity, -Infinity]), [0, 0]);
});

test("the Jacobian's norm keeps what an expanded square would cancel", () => {
  const tiny = 1e-12;
  assert.ok(close(jacobianNorm([1 - tiny, tiny]), 2 * tiny, 1e-3));
});

test("the median of nothing is not a number", () => {
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test("numbers are written for people", () => {
  const cases = [[0, "0"], [1, "1.00"], [0.0123456, "0.0123"], [1e-5, "1 × 10⁻⁵"], [5.4e-4, "5.40 × 10⁻⁴"], [123456, "1.23 × 10⁵"], [-3.2, "−3.20"], [0.9999, "1.00"], [65.432, "65.4"], [NaN, "not a number"], [-Infinity, "−infinite"]];
  for (const [x, text] of cases) assert.equal(formatNumber(x), text);
});
