import assert from "node:assert/strict";
import { test } from "node:test";
import { spelling } from "../../src/attention_course/widgets/kit/reading.js";
import { surprise } from "../../src/attention_course/widgets/models/language.js";
import { vocabulary } from "../../src/attention_course/widgets/models/words.js";
import {
  ahead,
  anyEnglish,
  exchange,
  likely,
  onPrevious,
  own,
  placeOf,
  readings,
  surprises,
  toggled,
  wordsOf,
} from "../../src/attention_course/widgets/living_sentence/maths.js";
import {
  forget,
  keep,
  recall,
} from "../../src/attention_course/widgets/living_sentence/store.js";
import {
  BLADES,
  costs,
  cutInWords,
  meaning,
  sentence,
  signed,
} from "../../src/attention_course/widgets/living_sentence/words.js";
import { close, fixture, WIDGETS } from "./fixtures.mjs";

/** A model that expects, after so many words, the symbol of their number. */
const counting = () => {
  const asked = [];
  const read = (tokens, cuts) => {
    asked.push([tokens.length, cuts.length]);
    return { logits: (t) => [0, 1, 2, 3, 4, 5].map((symbol) => (symbol === t + 1 ? 9 : 0)) };
  };
  return { asked, loaded: { model: { read } } };
};

test("a sentence has from one word to as many as the model reads", () => {
  assert.deepEqual(wordsOf("Go out!", 3), ["go", "out", "."]);
  assert.throws(() => wordsOf("  ", 3), /no word/);
  assert.throws(() => wordsOf("a b c d", 3), /4 words and marks; the model reads at most 3/);
});

test("words that the model knows complete what is typed, and none before it is here", () => {
  const { complete, read } = anyEnglish(["king", "kin", "kingdom"], 3);
  assert.deepEqual(complete("The Kin of", 7), {
    start: 4,
    end: 7,
    typed: "Kin",
    words: ["king", "kingdom"],
    whole: true,
  });
  assert.deepEqual(complete("The ", 4).words, []);
  assert.match(read("a b c d").problem, /at most 3/);
  assert.deepEqual(read("The kng"), { words: ["the", "kng"], problem: "", changes: [] });
});

test("the small world's words are read as Python reads them, and no others", () => {
  const { typed, vocabulary: known } = fixture(
    "typed",
    new URL("living_sentence/tests/", WIDGETS),
  );
  const world = spelling(known, "english");
  assert.ok(typed.length >= 5);
  for (const [text, words, numbers] of typed) {
    assert.deepEqual(wordsOf(text, 48, world), words, text);
    assert.deepEqual(vocabulary(known.join("\n")).encode(words), numbers, text);
  }
  assert.throws(() => wordsOf("?!", 48, world), /no word/);
  const { read, complete } = anyEnglish(known, 4, world);
  assert.match(read("The animal didn't run .").problem, /6 words and marks/);
  const zebra = read("The hoarse sees");
  assert.deepEqual([zebra.words, zebra.changes[0].words[0]], [null, "horse"]);
  assert.match(zebra.problem, /“hoarse” is not among the words of the small world/);
  assert.deepEqual(complete("The anim", 8).words, ["animal", "animals"]);
});

test("two words change places, and nothing happens to what is not there", () => {
  const words = ["a", "b", "c"];
  assert.deepEqual(exchange(words, [0, 2]), ["c", "b", "a"]);
  for (const pair of [[], [1], [0, 3]]) assert.equal(exchange(words, pair), words);
  assert.deepEqual(toggled(toggled(["scale"], "mask"), "scale"), ["mask"]);
  assert.deepEqual([placeOf(0, 5), placeOf(2, 5), placeOf(9, 5)], [4, 1, 4]);
});

test("words are written as far as there is time, and nothing is read twice", () => {
  const { asked, loaded } = counting();
  const kept = readings(loaded);
  assert.deepEqual(
    kept.write([7, 7], [], "zero", 2, () => false),
    [2, 3],
  );
  assert.deepEqual(
    kept.write([7, 7], [], "zero", 1, () => false),
    [2],
  );
  assert.deepEqual(
    kept.write([7, 7], [], "zero", 4, () => true),
    [2, 3],
  );
  assert.equal(asked.length, 2);
  assert.equal(kept.read([1], [], "zero"), kept.read([1], [], "zero"));
  assert.notEqual(kept.read([1], [], "zero"), kept.read([1], ["scale"], "zero"));
  assert.notEqual(kept.read([1], ["layer-1"], "zero"), kept.read([1], ["layer-1"], "mean"));
});

test("next words come with both probabilities, the likeliest of both first", () => {
  const found = likely([Math.log(3), 0, -9], [-9, 0, Math.log(8)], 2);
  assert.deepEqual(
    found.map(({ symbol }) => symbol),
    [2, 0],
  );
  assert.ok(close(found[1].p, 0.75, 1e-3, 1e-3) && close(found[0].free, 8 / 9, 1e-3, 1e-3));
});

test("a surprise is minus the logarithm of what was given", () => {
  assert.ok(close(surprise([0, 0, 0, 0], 2), Math.log(4), 1e-12, 1e-12));
  const reading = { logits: (t) => (t ? [0, 0] : [900, 0]) };
  assert.deepEqual(
    surprises(reading, [1, 0, 0]).map((x) => x.toFixed(3)),
    ["0.000", "0.693"],
  );
});

test("shares of weight: on the word before, and on later words", () => {
  const weights = [
    [0.5, 0.5],
    [0.25, 0.75],
  ];
  assert.equal(onPrevious(weights), 0.25);
  assert.equal(ahead({ looked: [{ weights: [weights] }] }), 0.25);
  assert.deepEqual([...own(Float64Array.from([1, 2, 3, 4]), 2, 2)], [3, 4]);
});

test("the words say what the numbers say", () => {
  assert.deepEqual(
    ["head-2-3", "feed-forward-4", "positions-none"].map((cut) => cutInWords(cut, "mean")),
    [
      "head 3 of layer 2 replaced by its mean",
      "the feed-forward part of layer 4 replaced by its mean",
      "no positions",
    ],
  );
  assert.deepEqual(
    Object.keys(BLADES).map((blade) => cutInWords("layer-1", blade)),
    [
      "layer 1 set to zero",
      "layer 1 replaced by its mean",
      "layer 1 replaced by another sentence’s",
    ],
  );
  assert.deepEqual([signed(0.126), signed(-0.5)], ["+0.13", "−0.50"]);
  assert.equal(costs([], "zero", false, {}), "");
  assert.match(
    costs(["layer-1"], "mean", false, { "layer-1": 0.7, "layer-1 mean": 0.61 }),
    /\+0\.61 nats a word: layer 1 replaced by its mean/,
  );
  assert.match(
    costs(["scale"], "mean", false, { scale: 0.11 }),
    /1,000 held-out sentences .* \+0\.11 nats/,
  );
  for (const [cuts, exchanged] of [
    [["scale", "mask"], false],
    [["scale"], true],
  ])
    assert.match(costs(cuts, "zero", exchanged, { scale: 0.1 }), /on your sentence only/);
  assert.match(
    meaning(
      { layer: 4, head: 3 },
      {
        "head-4-3": [
          [0.31, 0.21],
          [0.19, 0.22],
          [0.94, 0.18],
          [0.02, 0.11],
        ],
      },
    ),
    /verb for 94 % \(by chance 18 %\) .* subject for 19 % \(by chance 22 %\) .* meant for 2 % \(by chance 11 %\) .* word before for 31 % \(by chance 21 %\)/,
  );
  const told = {
    word: "of",
    where: "layer 2, head 1",
    to: "israel",
    weight: 0.5,
    alike: 0,
    cut: false,
    blade: null,
    now: { word: "egypt", p: 0.5 },
    free: { word: "egypt", p: 0.5, now: 0.5 },
    loss: [1.5, 1.5],
    more: "",
  };
  assert.equal(
    sentence(told),
    "The model expects “egypt” next (0.50). In layer 2, head 1, “of” looks most at “israel”: 0.50 of its weight.",
  );
  assert.match(
    sentence({
      ...told,
      cut: true,
      now: { word: "the", p: 0.4 },
      free: { word: "egypt", p: 0.5, now: 0.1 },
      loss: [1.75, 1.5],
    }),
    /^Cut, it expects “the” \(0\.40\) instead of “egypt”, which falls from 0\.50 to 0\.10\. The loss on the sentence goes from 1\.50 to 1\.75 nats a word\./,
  );
  assert.match(
    sentence({ ...told, cut: true }),
    /^Cut, it still expects “egypt” next: 0\.50 instead of 0\.50\./,
  );
  assert.match(
    sentence({ ...told, cut: true, blade: "mean" }),
    /^Cut \(its mean in its place\), it still expects/,
  );
  assert.match(
    sentence({ ...told, weight: 0.25, alike: 4 }),
    /“of” looks alike at all 4 words that it sees: 0\.25 of its weight for each\.$/,
  );
});

test("the sentence goes along, and without storage nothing breaks", () => {
  keep("a");
  assert.equal(recall(), null);
  const held = new Map();
  globalThis.localStorage = {
    getItem: (k) => held.get(k) ?? null,
    setItem: (k, v) => held.set(k, v),
    removeItem: (k) => held.delete(k),
  };
  keep("the cat");
  assert.equal(recall(), "the cat");
  forget();
  assert.equal(recall(), null);
  delete globalThis.localStorage;
});
