// What the lab says, and the formulas in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { howFar, howManyTimes } from "../ask.js";
import { describe } from "../describe.js";
import { makeGhost } from "../store.js";
import { sayDead, sayWeight, sentence } from "../words.js";
import { fixture } from "../../../../../tests/js/fixtures.mjs";

const batch = (over) => ({
  batch: { overflow: 0, dead: 0, entropy_median: 1, top_weight_median: 0.5, ...over },
});
const setting = { scale: "none", n_keys: 16, number_format: "float16" };
const say = (over, also = {}) => sentence(batch(over), { ...setting, ...also }, 256);

test("a sentence has two numbers at most", () => {
  const all = [
    say({}),
    say({ dead: 0.55 }),
    say({ overflow: 0.25 }),
    say({ overflow: 1 }),
    say({ entropy_median: Math.log(16) }),
    say({ top_weight_median: 0.99999, dead: 1 / 256 }),
  ];
  for (const text of all)
    assert.ok((text.replace("float16", "").match(/\d[\d.]*/g) ?? []).length <= 2, text);
  assert.equal(
    say({ dead: 0.55 }),
    "Without the factor, a typical query puts 0.50 of its weight on one key, and 55% of the queries are dead.",
  );
  assert.match(
    say({ entropy_median: Math.log(16) }, { scale: "d_k" }),
    /^Divided by the width itself, .*almost evenly/,
  );
});

test("a weight never rounds up to 1, and a dead query is never lost", () => {
  assert.deepEqual([0.9996, 0.9994, 1, 0.93].map(sayWeight), [
    "more than 0.999",
    "0.999",
    "1",
    "0.93",
  ]);
  assert.deepEqual(
    [0, 1 / 256, 0.5, 1].map((share) => sayDead(share, 256)),
    [
      "no query is dead",
      "one query is dead",
      "50% of the queries are dead",
      "every query is dead",
    ],
  );
});

test("it is told how far off a guess was", () => {
  assert.deepEqual(
    [
      [40, 167],
      [200, 167],
      [167, 167],
    ].map(([guess, answer]) => howFar(guess, answer)),
    ["your guess was 127 too low", "your guess was 33 too high", "you guessed it exactly"],
  );
  assert.deepEqual(
    [
      [64, 512],
      [500, 512],
      [2000, 512],
    ].map(([guess, answer]) => howManyTimes(guess, answer)),
    [
      "your guess was 8.0 times too low",
      "your guess was 2% too low",
      "your guess was 3.9 times too high",
    ],
  );
});

test("the ghost is what stood before a change; a drag is one change", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const ghost = makeGhost();
  assert.equal(ghost.before("a", 1), null);
  assert.equal(ghost.before("a", 1), null);
  now = 1000;
  assert.equal(ghost.before("b", 2), 1);
  now = 1100; // still dragging
  assert.equal(ghost.before("c", 3), 1);
  now = 3000;
  assert.equal(ghost.before("d", 4), 3);
  ghost.forget();
  assert.equal(ghost.before("e", 5), null);
});

test("without scripts there are the sentence and six widths, as the reference has them", () => {
  const sizes = fixture("lab", import.meta.url);
  const state = {
    d_k: 64,
    n_keys: 16,
    scale: "none",
    scale_value: 0.1,
    spread: 1,
    number_format: "float32",
    seed: 0,
    query: 255,
    offsets: [],
    sizes,
  };
  const { sentence: said, head, rows } = describe(state);
  assert.match(
    said,
    /^At d_k = 64: Without the factor, a typical query puts 0\.\d+ of its weight on one key, and \d+% of the queries are dead\.$/,
  );
  assert.deepEqual(
    rows.map(([d_k]) => d_k),
    ["4", "16", "64", "256", "1024", "4096"],
  );
  assert.ok(rows.every((row) => row.length === head.length));
  // reference.saturation at 256, without and with the factor
  assert.deepEqual(rows[3], ["256", "0.997", "0.22", "38%", "0%", "0.042", "0.26"]);
});
