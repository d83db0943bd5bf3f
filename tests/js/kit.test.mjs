import assert from "node:assert/strict";
import { test } from "node:test";
import { mix, parseHex, shade } from "../../src/attention_course/widgets/kit/colour.js";
import { readHash, writeHash } from "../../src/attention_course/widgets/kit/links.js";
import { formatNumber, quantile } from "../../src/attention_course/widgets/kit/numbers.js";
import { RandomState } from "../../src/attention_course/widgets/kit/random.js";
import { close, fixture } from "./fixtures.mjs";

const STATE = { d_k: 64, scale: "none", offsets: [], compact: false };

test("a link carries the whole state", () => {
  const state = { d_k: 512, scale: "sqrt_d_k", offsets: [0, -1.5], compact: true };
  assert.deepEqual(readHash(writeHash("lab", state), "lab", STATE), state);
});

test("text that looks like a number stays text where text is expected", () => {
  assert.deepEqual(readHash("#lab?scale=12", "lab", STATE), { scale: "12" });
});

test("what does not parse stays text, so that the widget can say what is wrong", () => {
  assert.deepEqual(readHash("#lab?d_k=abc&offsets=[1", "lab", STATE), {
    d_k: "abc",
    offsets: "[1",
  });
});

test("a link to something else is left alone", () => {
  for (const hash of ["", "#lab", "#other?d_k=1", "#a-heading"])
    assert.equal(readHash(hash, "lab", STATE), null);
  assert.deepEqual(readHash("#lab?unknown=1", "lab", STATE), {});
});

test("a map begins and ends with its colours", () => {
  const map = ["#000000", "#ff0000", "#ffffff"].map(parseHex);
  assert.deepEqual(
    [0, 0.25, 0.5, 1, 2, -1].map((t) => shade(map, t)),
    [
      [0, 0, 0],
      [127.5, 0, 0],
      [255, 0, 0],
      [255, 255, 255],
      [255, 255, 255],
      [0, 0, 0],
    ],
  );
  assert.deepEqual(mix([0, 0, 0], [10, 20, 30], 0.5), [5, 10, 15]);
});

const near = (got, wanted, text) =>
  assert.ok(close(got, wanted, 4e-15, 1e-16), `${text}: ${got} is not ${wanted}`);

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
  for (const seed of [-1, 0.5, 2 ** 32, NaN, "1"])
    assert.throws(() => new RandomState(seed), /seed must be a whole number/);
});

test("the median of nothing is not a number", () => {
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test("numbers are written for people", () => {
  const cases = [
    [0, "0"],
    [1, "1.00"],
    [0.0123456, "0.0123"],
    [1e-5, "1 × 10⁻⁵"],
    [5.4e-4, "5.40 × 10⁻⁴"],
    [123456, "1.23 × 10⁵"],
    [-3.2, "−3.20"],
    [0.9999, "1.00"],
    [65.432, "65.4"],
    [NaN, "not a number"],
    [-Infinity, "−infinite"],
  ];
  for (const [x, text] of cases) assert.equal(formatNumber(x), text);
});

test("quantiles are numpy's", () => {
  for (const { x, quantiles } of fixture("attention").softmax) {
    const sorted = [...x].sort((a, b) => a - b);
    [0, 0.25, 0.5, 0.99, 1].forEach((q, i) =>
      near(quantile(sorted, q), quantiles[i], "quantile"),
    );
  }
});
