import assert from "node:assert/strict";
import { test } from "node:test";
import { putters, silentOf, spell, unpack } from "../maths.js";
import { glance, named, ordinal, sentence, signed, where } from "../words.js";
import { given } from "./given.mjs";

test("another word's is of another word at the same place, or of another word at all", () => {
  const example = (word, place) => ({
    word,
    place,
    answer: 0,
    look: { asked: [], weights: [], parts: [[`${word} ${place}`]] },
  });
  const put = putters(
    [example("ab", 1), example("ab", 2), example("cde", 1), example("cde", 3)].map(
      (one) => one,
    ),
  );
  assert.deepEqual(put("other", "ab", 1, 0), [["cde 1"]]);
  assert.deepEqual(put("other", "cde", 1, 2), [["ab 1"]]);
  assert.deepEqual(put("other", "cde", 3, 3), [["ab 1"]]);
  assert.deepEqual(put("other", "xyz", 2), [["ab 2"]]);
  assert.equal(put("zero", "xyz", 2), null);
});

test("a word becomes marks and letters, with one of them covered", () => {
  assert.deepEqual(spell("abcz", 4), { tokens: [1, 4, 5, 6, 3, 2], answer: 25 });
});

test("a model that is not there is named, and a head that is not there is left out", () => {
  assert.throws(() => unpack(given.models, 3), /n_heads must be one of 1, 2, 4, 8, got 3/);
  assert.throws(
    () => unpack({}, 3),
    /n_heads must be one of the models, and there is none, got 3/,
  );
  assert.deepEqual(silentOf([0, 5], 4), [0]);
});

test("the words say what the numbers say", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12].map(ordinal), [
    "1st",
    "2nd",
    "3rd",
    "4th",
    "11th",
    "12th",
  ]);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((t) => where(t, 2, 6)),
    [
      "the start mark",
      "the letter before",
      "the cover itself",
      "the letter after",
      "two after",
      "the end mark",
    ],
  );
  assert.equal(glance([0.1, 0.7, 0.1, 0.1], 2), "mostly at the letter before (0.70)");
  assert.equal(glance([0.3, 0.3, 0.4, 0], 2), "around, most at the cover itself (0.40)");
  assert.equal(named([0, 2, 3]), "heads 1, 3 and 4");
  assert.equal(signed(-0.01234), "−0.012");
  const now = {
    word: "head",
    place: 2,
    heads: 2,
    silent: [],
    blade: "zero",
    chances: [0.2, 0.1, 0, 0, 0.7, ...Array(21).fill(0)],
    answer: 4,
    loss: 2,
    lossNow: 2,
    costs: [0.5, 0.1],
    words: 9,
  };
  assert.equal(
    sentence(now),
    "With all 2 heads the model gives the 2nd letter of h_ad a chance of 0.700 to be e, which is its best guess. " +
      "On 9 words that it never saw, its loss is 2.000 nats a letter. Of one head alone (nothing instead), head 1 would be missed most (+0.500), head 2 least (+0.100).",
  );
  assert.match(
    sentence({ ...now, silent: [0], lossNow: 2.5 }),
    /^Without head 1 \(nothing instead\) .* is 2.500 nats a letter, against 2.000 with all heads: \+0.500.$/,
  );
  assert.match(
    sentence({ ...now, silent: [0, 1], blade: "mean", answer: 0 }),
    /^With every head silent \(its mean instead\) .* 0.200 to be a, and its best guess is e/,
  );
});
