import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest, reading } from "../../src/attention_course/widgets/kit/reading.js";
import { follower, unpacked } from "../../src/attention_course/widgets/kit/world.js";
import { fixture } from "./fixtures.mjs";

const { grammar: packed, sentences, following } = fixture("world");
const grammar = unpacked(packed);
const english = reading(grammar, "english", 20);
const french = reading(grammar, "french", 20);
const said = (reader, text) => reader.read(text).words?.join(" ");

test("what may follow is what Python's grammar says, and the first five are likely ones", () => {
  assert.ok(following.length >= 12);
  for (const { words, language, next } of following) {
    const found = follower(grammar, language)(words.map((word) => new Set([word])));
    const sorted = [...found].sort((a, b) => b[1] - a[1]).map(([word]) => word);
    assert.deepEqual([...sorted].sort(), Object.keys(next).sort(), words.join(" "));
    const best = Object.keys(next).sort((a, b) => next[b] - next[a]);
    const five = (list) => list.slice(0, 5).reduce((sum, word) => sum + next[word], 0);
    assert.ok(five(sorted) >= 0.75 * five(best), words.join(" "));
  }
});

test("every sentence of the world is read as it stands, and each of its words can follow", () => {
  for (const { words, language } of sentences) {
    const reader = language === "french" ? french : english;
    const text = words.join(" ");
    if (words.length > 20) assert.match(reader.read(text).problem, /At most 20/);
    else assert.equal(said(reader, text), text);
  }
});

test("capitals, accents, contractions, apostrophes and spelling are read as people type", () => {
  const [animal, robe] = [
    "the animal did not cross the street because it was too tired .",
    "l' école est claire .",
  ];
  for (const text of [
    "The animal did not cross the street because it was too tired",
    "The animal didn’t cross the street, because it was too tired.",
    "the animal didn't cross the street because it was too tired!",
    "THE ANIMAL DIDNT CROSS THE STREET BECAUSE IT WAS TOO TIRED",
  ])
    assert.equal(said(english, text), animal);
  assert.equal(said(english, "my neighbor"), undefined);
  assert.equal(said(english, "The Neighbor sleeps"), "the neighbour sleeps .");
  assert.equal(said(english, "does the girl eat an apple"), "does the girl eat an apple ?");
  for (const text of ["L’ecole est claire", "l'école est claire.", "l' e\u0301cole est claire"])
    assert.equal(said(french, text), robe);
});

test("what is no sentence is answered with what would work", () => {
  const problem = (text, reader = english) => reader.read(text);
  for (const text of ["", "  ", "?!"]) {
    assert.match(problem(text).problem, /^Write a sentence of the small world/);
    assert.equal(problem(text).changes[0].words[0], "the");
  }
  const unknown = problem("the lawyer eats an avacado and the hoarse");
  assert.match(unknown.problem, /^“avacado”, “hoarse” are not among the words/);
  assert.deepEqual(
    unknown.changes.map(({ start, end, words }) => [start, end, words[0]]),
    [
      [19, 26, "avocado"],
      [35, 41, "horse"],
    ],
  );
  const stop = problem("the red eats the apple");
  assert.match(stop.problem, /up to “the red”; then “eats” cannot follow/);
  assert.deepEqual([stop.changes[0].start, stop.changes[0].end], [8, 12]);
  for (const word of stop.changes[0].words)
    assert.equal(
      problem(`the red ${word} is long`).problem.includes("up to “the red”;"),
      false,
    );
  assert.match(problem("the red dress").problem, /beginning of a sentence/);
  assert.ok(problem("the red dress").changes[0].words.includes("is"));
  assert.match(problem("dress is red").problem, /begins with “dress”/);
  assert.match(problem("the girl runs. the boy runs").problem, /One sentence at a time/);
  assert.match(
    problem(
      "the girl runs and the boy runs and the king runs and the queen runs and the man runs and the cat sleeps",
    ).problem,
    /At most 20 words and marks .* has 24: leave out 4/,
  );
  assert.deepEqual(nearest("law", english.vocabulary).slice(0, 2), ["lawyer", "lawyers"]);
  assert.deepEqual(nearest("qqqqq", english.vocabulary), []);
});

test("the word at the cursor is completed as the grammar allows", () => {
  const { words, start, end, whole } = english.complete("The lawyer eats the av", 22);
  assert.deepEqual([words, start, end, whole], [["avocado", "avocados"], 20, 22, false]);
  const adjectives = english.complete("the red ", 8).words;
  assert.ok(adjectives.length === 6 && !adjectives.includes("eats"));
  assert.equal(english.complete("the red e", 9).words.includes("eats"), false);
  assert.ok(english.complete("zzz av", 6).words.includes("avocado")); // the grammar cannot tell
  assert.ok(english.complete("the girl sle because", 12).words.includes("sleeps"));
  assert.equal(english.complete("the girl", 8).whole, true);
  assert.deepEqual(english.complete("the girl runs. ", 15).words, []);
  assert.ok(french.complete("l’ec", 4).words.includes("école"));
  assert.ok(french.complete("la fille n'", 11).words.length);
});
