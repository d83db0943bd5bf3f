import assert from "node:assert/strict";
import { test } from "node:test";
import { rowOf, sentence, shareOf } from "../rows.js";

const RIGHT = [
  {
    words: ["la", "fille", "court", "vers", "la", "banque"],
    from: [[0], [1], [2], [3], [4], [5]],
  },
  {
    words: ["la", "fille", "court", "vers", "la", "rive"],
    from: [[0], [1], [2], [3], [4], [5]],
  },
];
const even = Array.from({ length: 6 }, () => [0, 0, 0, 0, 0.25, 0.75]);

test("a row is held against its own nearest translation, and compared with the shared one", () => {
  const row = rowOf(RIGHT[1].words, even, RIGHT, RIGHT[0], 5);
  assert.equal(row.wrong, 0); // “rive” is right as well
  assert.equal(row.at, 5); // yet it is not the word that is compared
  assert.equal(row.right, false);
  assert.equal(shareOf(row, [5]), 0.75);
});

test("missing words count, and a word that nothing stands for has no weights", () => {
  const row = rowOf(["la", "fille", "la", "banque"], even, RIGHT, RIGHT[0], 2);
  assert.deepEqual([row.wrong, row.at, row.weights], [2, -1, []]);
  assert.equal(shareOf(row, [2]), null);
});

test("the sentence counts models and names the ends of the range", () => {
  const rows = [RIGHT[0], RIGHT[1]].map(({ words }) => rowOf(words, even, RIGHT, RIGHT[0], 5));
  const said = sentence({
    word: "banque",
    from: ["bank"],
    deciders: ["money"],
    names: ["one", "two"],
    rows,
    shares: [0.2, 0.9],
  });
  assert.match(said, /2 of the 2 translations are right from end to end/);
  assert.match(said, /“banque” comes from “bank”, and “money” decides its form/);
  assert.match(said, /1 of the 2 models write it/);
  assert.match(said, /90 % \(two\) to 20 % \(one\) lies on “bank”/);
});
