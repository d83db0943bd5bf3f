import assert from "node:assert/strict";
import { test } from "node:test";
import { mix, parseHex, readHash, shade, writeHash } from "../../src/attention_course/widgets/kit/shared.js";

const STATE = { d_k: 64, scale: "none", offsets: [], compact: false };

test("a link carries the whole state", () => {
  const state = { d_k: 512, scale: "sqrt_d_k", offsets: [0, -1.5], compact: true };
  assert.deepEqual(readHash(writeHash("lab", state), "lab", STATE), state);
});

test("text that looks like a number stays text where text is expected", () => {
  assert.deepEqual(readHash("#lab?scale=12", "lab", STATE), { scale: "12" });
});

test("what does not parse stays text, so that the widget can say what is wrong", () => {
  assert.deepEqual(readHash("#lab?d_k=abc&offsets=[1", "lab", STATE), { d_k: "abc", offsets: "[1" });
});

test("a link to something else is left alone", () => {
  for (const hash of ["", "#lab", "#other?d_k=1", "#a-heading"]) assert.equal(readHash(hash, "lab", STATE), null);
  assert.deepEqual(readHash("#lab?unknown=1", "lab", STATE), {});
});

test("a map begins and ends with its colours", () => {
  const map = ["#000000", "#ff0000", "#ffffff"].map(parseHex);
  assert.deepEqual([0, 0.25, 0.5, 1, 2, -1].map((t) => shade(map, t)), [[0, 0, 0], [127.5, 0, 0], [255, 0, 0], [255, 255, 255], [255, 255, 255], [0, 0, 0]]);
  assert.deepEqual(mix([0, 0, 0], [10, 20, 30], 0.5), [5, 10, 15]);
});
