import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, layOut, pictureOf } from "../maths.js";
import { readQuestion, rightAnswer, sentence } from "../words.js";
import { readTensors } from "../../models/tensors.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const { file, rows, drawn } = fixture("asker");
const names = fixture("limits", import.meta.url).constants;
const { tensors } = readTensors(Uint8Array.from(Buffer.from(file, "base64")));
const answerTo = ({ contents, photograph, numbers, forced }, weights = tensors) =>
  ask(weights, layOut(tensors, contents, photograph), numbers, forced);
const top = (x) => x.indexOf(Math.max(...x));
const same = (got, wanted) =>
  got.length === wanted.length && [...got].every((x, i) => close(x, wanted[i], 0, 1e-5));

test("the page's own file gives the reference's answers, logits and looks, forced or not", () => {
  assert.equal(rows.length, 28);
  for (const row of rows) {
    const { logits, looks, chances } = answerTo(row);
    assert.ok(same(logits, row.logits) && top([...logits]) === top(row.logits), row.sentence);
    assert.ok(
      looks.every((look, t) => same(look, row.looks[t])),
      row.sentence,
    );
    assert.ok(same([chances.reduce((a, b) => a + b)], [1]));
  }
});

test("a question is read back, and what is right is what was drawn", () => {
  for (const { sentence: asked, numbers, contents, right } of rows) {
    assert.deepEqual(readQuestion(asked, names.QUESTION_WORDS), numbers);
    assert.equal(rightAnswer(contents, numbers, names), right, asked);
  }
  for (const [contents, asked, numbers, right] of drawn) {
    assert.deepEqual(readQuestion(asked, names.QUESTION_WORDS), numbers);
    assert.equal(rightAnswer(contents, numbers, names), right, asked);
  }
  const empty = new Array(8).fill(8);
  const leftOfBag = readQuestion("What is left of the bag?", names.QUESTION_WORDS);
  for (const contents of [
    [8, ...empty],
    [6, ...empty],
    [0, 6, 6, ...empty.slice(2)],
    [1, 8, 6, ...empty.slice(2)],
  ])
    assert.equal(rightAnswer(contents, leftOfBag, names), "");
  assert.deepEqual(new Set(rows.map(({ right }) => right === "")), new Set([true, false]));
});

test("what cannot be read says why", () => {
  for (const text of [
    "",
    "What is left of the hat?",
    "left of the bag",
    "Is there a centre?",
    "Is there a top left?",
    "What is left of left of the bag?",
  ])
    assert.throws(() => readQuestion(text, names.QUESTION_WORDS));
  assert.throws(() => readQuestion("What is left of the hat?", names.QUESTION_WORDS), /“hat”/);
  assert.throws(() => readQuestion("bag", names.QUESTION_WORDS), /three things/);
});

test("places stand side by side in the picture", () => {
  const picture = pictureOf(Array.from({ length: 9 }, (_, i) => new Float64Array(196).fill(i)));
  assert.deepEqual(
    [picture[0], picture[41], picture[42 * 20 + 20], picture[42 * 42 - 1]],
    [0, 2, 4, 8],
  );
});

test("the sentence says the answer, what is right, both looks, and what was changed", () => {
  const { contents, numbers } = rows[0];
  const forced = { contents, first: 6, second: 0 };
  const now = answerTo({ ...rows[0], forced: [6, 0] });
  const alone = answerTo({ ...rows[0], forced: [0, 0] });
  const right = rightAnswer(contents, numbers, names);
  const told = sentence({ ...forced, right, names, now, alone });
  assert.match(
    told,
    /^The model says trousers, with probability 0\.\d\d\. Right would be: sneaker\. You force the first look onto middle right \(trousers\)\./,
  );
  assert.match(told, /Left alone, it says sneaker\.$/);
  assert.ok(
    !sentence({ ...forced, first: 0, right, names, now: alone, alone }).includes("Left alone"),
  );
  assert.match(
    sentence({ ...forced, contents: [6, ...contents.slice(1)], right: "", names, now, alone }),
    /No answer is right.*no two alike\.$/,
  );
});
