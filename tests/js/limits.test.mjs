import assert from "node:assert/strict";
import { test } from "node:test";
import { checked, fits, range } from "../../src/attention_course/widgets/kit/limits.js";
import { everyLimit } from "./fixtures.mjs";

const rows = everyLimit();

test("the browser takes and refuses what Python does, for every trait of every widget", () => {
  assert.ok(rows.length >= 45);
  let looked = 0;
  for (const { trait, limit, good, bad, asks_more } of rows) {
    assert.ok(good.length && bad.length, trait);
    for (const value of good)
      assert.ok(fits(value, limit), `${trait} takes ${JSON.stringify(value)}`);
    for (const value of asks_more ? [] : bad)
      assert.ok(!fits(value, limit), `${trait} refuses ${JSON.stringify(value)}`);
    looked += good.length + bad.length;
  }
  assert.ok(looked >= 1500);
});

test("a bad value is named with what is expected and what came", () => {
  const limits = Object.fromEntries(
    rows
      .filter(({ trait }) => trait.startsWith("SaturationLab."))
      .map(({ trait, limit }) => [trait.split(".")[1], limit]),
  );
  const read = (d_k) => () =>
    checked((name) => ({ d_k, seed: 3 })[name], limits, ["d_k", "seed"]);
  assert.deepEqual(read(64)(), { d_k: 64, seed: 3 });
  assert.throws(read("abc"), {
    message: 'd_k must be a whole number from 1 to 4096, got "abc"',
  });
  assert.throws(read(undefined), {
    message: "d_k must be a whole number from 1 to 4096, got undefined",
  });
});

test("a trait that Python does not limit is passed on", () => {
  assert.deepEqual(
    checked(() => "x", {}, ["chosen"]),
    { chosen: "x" },
  );
});

test("a slider goes from end to end, or as far as Python says, or from stop to stop", () => {
  assert.deepEqual(range({ min: 1, max: 9 }), { min: 1, max: 9 });
  assert.deepEqual(range({ min: 1, max: 9, slider: [2, 3] }), {
    min: 2,
    max: 3,
    takes: { min: 1, max: 9 },
  });
  assert.deepEqual(range({ min: 1, max: 9, stops: [1, 5] }), { values: [1, 5] });
});
