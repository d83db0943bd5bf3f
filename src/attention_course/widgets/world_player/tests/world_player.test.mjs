import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture } from "../../../../../tests/js/fixtures.mjs";
import { nearest, places, readWords, worldOf } from "../truth.js";

const { grammar } = fixture("world");
const world = worldOf(JSON.stringify(grammar), 60);
const ANIMAL = "The animal didn’t cross the street because it was too tired";
const WORDS = "the animal did not cross the street because it was too tired .".split(" ");

test("a sentence is read as the grammar writes it", () => {
  assert.deepEqual(readWords(ANIMAL, world), WORDS);
  assert.deepEqual(readWords("The man sees", null), ["the", "man", "sees"]);
  assert.throws(() => readWords("the zebra", world), /“zebra” is not among the words/);
});

test("of a wrong translation the wrong words are known, and where the others come from", () => {
  const right = world.right(WORDS);
  assert.equal(right.length, 1);
  const written = [...right[0].words];
  written[10] = "elle";
  written[13] = "fatiguée";
  const { one, fresh, lost } = nearest(written, right);
  const at = places(fresh, lost);
  assert.deepEqual(
    written.filter((_, i) => fresh[i]),
    ["elle", "fatiguée"],
  );
  assert.deepEqual(one.from[at[2]], [2, 3]);
  assert.equal(one.words[at[10]], "il");
  assert.deepEqual(places([false, true, true, false], [false, true, false]), [0, -1, -1, 2]);
});

test("with several right translations the nearest counts", () => {
  const words = "the girl runs to the bank .".split(" ");
  const right = world.right(words);
  assert.equal(right.length, 2);
  for (const last of ["banque", "rive"]) {
    const { one, fresh } = nearest(`la fille court vers la ${last} .`.split(" "), right);
    assert.equal(one.words[5], last);
    assert.equal(fresh.includes(true), false);
  }
});

test("animal and tired decide whether it is il or elle", () => {
  const [{ words, from }] = world.right(WORDS);
  const asked = world.deciders(WORDS, from);
  let step = asked.next();
  while (!step.done) step = asked.next();
  assert.deepEqual(step.value[words.indexOf("il")], [1, 11]);
  assert.deepEqual(step.value[words.indexOf("fatigué")], [1]); // its own word is none
});
