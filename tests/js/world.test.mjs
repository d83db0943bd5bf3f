import assert from "node:assert/strict";
import { test } from "node:test";
import { sentences as sentencesOf } from "../../src/attention_course/widgets/live_training/sentences.js";
import { RandomState } from "../../src/attention_course/widgets/kit/random.js";
import {
  alignment,
  parse,
  translations,
  unpacked,
  wordsOf,
} from "../../src/attention_course/widgets/kit/world.js";
import { fixture } from "./fixtures.mjs";

const { grammar: packed, sentences, part, drawn } = fixture("world");
const grammar = unpacked(packed);
const other = (language) => (language === "french" ? "english" : "french");

/** The sentences that are read otherwise than in Python. */
function differing(world) {
  return sentences.filter((row) => {
    const trees = parse(world, row.words, row.language);
    const target = other(row.language);
    const said = (tree) =>
      wordsOf(tree, target)
        .map(([word]) => word)
        .join(" ");
    const same = (tree) =>
      said(tree) === row.written &&
      JSON.stringify(alignment(tree, row.language)) === JSON.stringify(row.alignment);
    const all =
      JSON.stringify(translations(world, row.words, row.language)) ===
      JSON.stringify(row.translations);
    return !(all && trees.length === row.trees && trees.some(same));
  });
}

test("trees, translations and alignments are the Python parser's", () => {
  assert.equal(sentences.length, 60);
  assert.deepEqual(differing(grammar), []);
});

test("any word may stand for an unknown one", () => {
  const trees = parse(grammar, ["the", "girl", null, "to", "the", "bank", "."], "english", 200);
  const verbs = new Set(trees.map((tree) => wordsOf(tree, "english")[2][0]));
  assert.deepEqual([...verbs].sort(), ["ran", "runs", "swam", "swims"]);
});

test("no sentence, no tree", () => {
  assert.deepEqual(parse(grammar, ["the", "the", "."], "english"), []);
  assert.deepEqual(translations(grammar, [], "english"), []);
});

test("sentences of a part are drawn as in Python, from the same seed", () => {
  const words = [
    ...new Set(
      Object.values(unpacked(part).rules)
        .flat()
        .flatMap(([, , [, english]]) => english.filter((item) => typeof item === "string")),
    ),
  ].sort();
  const draw = (packed) =>
    sentencesOf({ packed: JSON.stringify(packed), lengths: [4, 10] }, words).draw(
      100,
      new RandomState(3),
      false,
    );
  assert.deepEqual(
    draw(part).map(({ source, target }) => [source, target]),
    drawn,
  );
  const turned = structuredClone(part);
  turned.rules.Noun.reverse();
  assert.notDeepEqual(
    draw(turned).map(({ source, target }) => [source, target]),
    drawn,
  );
});
