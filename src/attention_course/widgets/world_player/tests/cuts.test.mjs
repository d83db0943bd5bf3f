import assert from "node:assert/strict";
import { test } from "node:test";
import { toggled } from "../../kit/numbers.js";
import { UNCUT } from "../../models/translators.js";
import { sharers } from "../../models/words.js";
import { aligned, cutsMade, moved, runs, shownWeights, writeOn } from "../maths.js";
import { difference, line, named, sentence } from "../words.js";

/** A model that reads in two pieces, writes 5, 6, 7 … and ends after so many words. */
const counting = (end) => ({
  heads: 1,
  *read() {
    yield;
    return 0;
  },
  advance: (kept) => ({
    symbol: kept + 1 === end ? 2 : 5 + kept,
    kept: kept + 1,
    logits: [],
    weights: [[1]],
  }),
});
const loaded = (end) => ({
  model: counting(end),
  source: { encode: (words) => words.map(() => 3) },
});

test("what this model or this sentence has not is no cut", () => {
  const state = { ...UNCUT, model: "attention" };
  assert.deepEqual(cutsMade(state, 4, 3), []);
  const others = { positions: false, silent: [1], forbidden: [3], moves: [[0, 3]] };
  assert.deepEqual(cutsMade({ ...state, ...others }, 4, 3), []);
  for (const [name, value] of Object.entries({
    backward: false,
    uniform: true,
    forbidden: [2],
    moves: [[9, 2]],
  }))
    assert.deepEqual(cutsMade({ ...state, [name]: value }, 4, 3), [name]);
  const all = { backward: false, positions: false, silent: [0, 7], uniform: true };
  const made = (model) => cutsMade({ ...state, ...all, model }, 4, 3);
  assert.deepEqual(made("transformer_2"), ["uniform", "positions", "silent 0", "silent 7"]);
  assert.deepEqual(made("transformer"), ["uniform", "positions", "silent 0"]);
  assert.deepEqual(made("fixed"), []);
});

test("words are written as far as they are asked for, and what is written stays", () => {
  const kept = runs();
  const run = () => kept.get("a", loaded(4), ["x"], UNCUT, 60);
  assert.equal(
    writeOn([run()], 2, () => false),
    true,
  );
  assert.deepEqual(
    run().written.map(({ symbol }) => symbol),
    [5, 6],
  );
  assert.equal(
    writeOn([run()], 9, () => true),
    false,
  );
  assert.equal(run().written.length, 2);
  assert.equal(
    writeOn([run()], 9, () => false),
    true,
  );
  assert.deepEqual(
    run().written.map(({ symbol }) => symbol),
    [5, 6, 7, 2],
  );
  assert.notEqual(kept.get("a", loaded(4), ["x"], { ...UNCUT, uniform: true }, 60), run());
});

test("a frame may end within the reading, and the next one goes on with it", () => {
  const run = runs().get("a", loaded(4), ["x"], UNCUT, 60);
  const frames = [];
  for (let done = false; !done; frames.push(run.written.length)) {
    let pieces = 0;
    done = writeOn([run], 2, () => pieces++ > 0);
  }
  assert.deepEqual(frames, [0, 0, 1, 2]);
});

test("the oldest run makes room, the one just used does not", () => {
  const kept = runs(2);
  const get = (name) => kept.get(name, loaded(4), ["x"], UNCUT, 60);
  const [a, b] = [get("a"), get("b")];
  assert.equal(get("a"), a);
  get("c");
  assert.equal(get("a"), a);
  assert.notEqual(get("b"), b);
});

test("one head's weights, or the mean of all", () => {
  const weights = [
    [1, 0],
    [0, 1],
    [0.5, 0.5],
    [0.5, 0.5],
  ];
  assert.deepEqual(shownWeights(weights, 0), [0.5, 0.5]);
  assert.deepEqual(shownWeights(weights, 2), [0, 1]);
  assert.deepEqual(shownWeights([[0.2, 0.8]], 3), [0.2, 0.8]);
});

test("a gaze is moved, moved again, and let go", () => {
  assert.deepEqual(moved([[2, 1]], 0, 3), [
    [0, 3],
    [2, 1],
  ]);
  assert.deepEqual(moved([[2, 1]], 2, 0), [[2, 0]]);
  assert.deepEqual(moved([[2, 1]], 2, -1), []);
  assert.deepEqual(toggled(toggled([3], 1), 3), [1]);
});

test("the words say what the numbers say", () => {
  assert.deepEqual(
    [2, 3].map((symbol) => named(["", "", "<end>", "god"], symbol)),
    ["(end)", "god"],
  );
  assert.equal(line(["god", ".", "(end)"]), "god .");
  const shown = {
    words: ["je", "aime"],
    written: ["i", "love"],
    uncut: ["i", "love"],
    cut: false,
    forbidden: [],
    ended: true,
    off: false,
    at: 1,
    weights: [0.25, 0.75],
  };
  assert.equal(sentence(shown), "Word 2, “love”, looks most at “aime”: 0.75 of its weight.");
  assert.equal(
    sentence({ ...shown, weights: [0.5, 0.5] }),
    "Word 2, “love”, looks alike at all 2 words: 0.50 of its weight for each.",
  );
  assert.match(
    sentence({ ...shown, words: ["je", "vous", "aime"], weights: [0.5, 0, 0.5] }),
    /looks alike at the 2 words that are left: 0\.50/,
  );
  assert.match(
    sentence({ ...shown, weights: [0, 0], forbidden: [0, 1], off: true }),
    /at nothing\. Every source word is forbidden: .* without it\. It found no end and was cut off after 2 words\.$/,
  );
  assert.match(
    sentence({ ...shown, weights: [0, 0], forbidden: [1] }),
    /at nothing\. The words that are left lie outside the window: .* without it\.$/,
  );
  assert.match(sentence({ ...shown, weights: [0, 0] }), /The window lies past the end of the/);
});

test("of two sentences only what is not in both is new, shifted or not", () => {
  const new_ = (written, uncut) => aligned(written, uncut).fresh.map(Number).join("");
  assert.equal(new_(["i", "love", "you"], ["i", "love", "you"]), "000");
  assert.equal(
    new_(["i", "have", "loved", "you", ".", "(end)"], ["i", "love", "you", ".", "(end)"]),
    "011000",
  );
  assert.equal(new_(["so", "i", "love", "you"], ["i", "love", "you"]), "1000");
  assert.equal(new_(["love", "you"], ["i", "love", "you"]), "00");
  assert.equal(new_(["b", "a"], ["a", "b"]).replace("0", ""), "1"); // one of two that changed places
  assert.equal(new_(["x", "(end)"], ["a", "b"]), "10");
  assert.deepEqual(aligned(["a", "c"], ["a", "b", "c", "(end)"]).lost, [
    false,
    true,
    false,
    false,
  ]);
});

test("what the cuts have changed is said of words, not of places", () => {
  const uncut = ["i", "love", "you", ".", "(end)"];
  const said = (text, ended = true) => difference(text.split(" "), uncut, ended);
  assert.equal(said("i love you . (end)"), "With these cuts it writes the same.");
  assert.equal(said("i love", false), "With these cuts it writes the same so far.");
  assert.equal(said("i love . (end)"), "With these cuts it leaves out “you”.");
  assert.equal(
    said("i hate you . (end)"),
    "With these cuts word 2 is “hate”, instead of “love”; no other word is new.",
  );
  assert.equal(
    said("i have loved you . (end)"),
    "With these cuts word 2 is “have”, instead of “love”; in all, 2 of its 5 words are new.",
  );
  assert.equal(
    said("so i love you . (end)"),
    "With these cuts it inserts “so” as word 1; no other word is new.",
  );
  assert.equal(
    said("go away (end)"),
    "With these cuts word 1 is “go”, instead of “i”, and it shares no word with the uncut sentence.",
  );
  assert.equal(
    difference(["la", "dame", "(end)"], ["le", "chat", "voit", "la", "rue", "(end)"], true),
    "With these cuts word 1 is “la”, instead of “le”; no other word is new.",
  );
  assert.equal(said("(end)"), "With these cuts it writes nothing at all.");
  assert.equal(
    difference(uncut, uncut, true, "mean"),
    "With these cuts (its mean in its place) it writes the same.",
  );
});

test("a gaze is shared where each word gets as much", () => {
  assert.deepEqual(
    [
      [0.5, 0.5],
      [0.25, 0, 0.25],
      [1, 0],
      [0.6, 0.4],
      [0, 0],
    ].map(sharers),
    [2, 2, 0, 0, 0],
  );
});
