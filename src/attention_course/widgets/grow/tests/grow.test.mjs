import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, change, looks, mean, parts, signed, tell } from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const { STAGES: stages, WHOLE: whole } = fixture("limits", import.meta.url).constants;
const losses = stages.map((_, i) => [5 - i / 4, 5.1 - i / 4]);
const say = (stage, guesses = [], given = losses) =>
  tell({ stages, losses: given, stage, guesses, whole });

test("each model is compared with the one before, the last three with the largest", () => {
  assert.deepEqual(
    stages.map((_, i) => beside(i, whole)).slice(1),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8],
  );
});

test("mean and change of runs", () => {
  assert.ok(close(mean([4, 5, 6.5]), 15.5 / 3, 1e-12, 0));
  assert.ok(close(change(losses, 3, whole).by, -0.25, 1e-12, 1e-12));
  assert.ok(
    close(change(losses, 11, whole).by, -0.75, 1e-12, 1e-12),
    "three steps below the largest",
  );
});

test("runs overlap where one of each changes places, from either side, and only there", () => {
  const seen = (a, b) => change([a, b], 1, whole).overlap;
  assert.deepEqual(
    [seen([4, 5], [4.9, 6]), seen([4.9, 6], [4, 5]), seen([4, 5], [4.2, 4.3])],
    [true, true, true],
  );
  assert.deepEqual([seen([4, 5], [5.1, 6]), seen([5.1, 6], [4, 5])], [false, false]);
});

test("the sentence says the loss, what changed, and how far off the guess was", () => {
  assert.match(
    say(0),
    /^One word: 5\.05 nats a word, mean of 2 runs, 5\.00 to 5\.10\. Next: add two matrices\. What will the loss be\?$/,
  );
  assert.match(
    say(1, [4.9]),
    /That is 0\.25 less than “one word”, and no runs overlap\. Your guess was 0\.10 too high\./,
  );
  assert.match(say(1, [4.82]), /You guessed it within 0\.05\./);
  assert.doesNotMatch(say(1, [0]), /guess was|guessed/);
  assert.match(
    say(1, [], [[5, 5.1], [5.04, 5.2], ...losses.slice(2)]),
    /Its runs and those of “one word” overlap: the means differ by 0\.07\./,
  );
  assert.match(
    say(1, [], [[5, 5.1], [5.5], ...losses.slice(2)]),
    /5\.50 nats a word, one run\. That is 0\.45 more than/,
  );
  assert.doesNotMatch(say(11), /Next/);
});

test("the parts of a model are told as they are drawn", () => {
  assert.equal(parts(stages[0]), "word vectors; output");
  assert.equal(looks(stages[2]), "mean of the past");
  assert.equal(looks(stages[4]), "four fixed places");
  assert.equal(
    parts(stages[8]),
    "word vectors and positions; two blocks of four heads, feed-forward part; residuals, normalisations; output",
  );
  assert.match(parts(stages[11]), /no residuals, normalisations/);
  assert.equal(new Set(stages.map(parts)).size, 12, "no two models are alike");
});

test("a change has its sign, and nothing is nothing", () => {
  assert.deepEqual([0.1, -0.1, -0.004].map(signed), ["+0.10", "−0.10", "0.00"]);
});
