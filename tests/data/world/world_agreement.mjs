// What the page's writer and parser make of the small world, for test_world_agreement.py: one JSON
// with the grammar, a seed and a count comes in; a line for each sentence goes out.

import { readFileSync } from "node:fs";
import { RandomState } from "../../../src/attention_course/widgets/kit/random.js";
import {
  LANGUAGES,
  translations,
  unpacked,
  wordsOf,
  writer,
} from "../../../src/attention_course/widgets/kit/world.js";

const { grammar: packed, seed, count, most } = JSON.parse(readFileSync(0, "utf-8"));
const grammar = unpacked(packed);
const [rng, write] = [new RandomState(seed), writer(grammar)];
for (let n = 0; n < count; n++) {
  const tree = write(rng);
  const pair = LANGUAGES.map((language) => wordsOf(tree, language).map(([word]) => word));
  const read = LANGUAGES.map((language, side) =>
    translations(grammar, pair[side], language, most),
  );
  console.log(JSON.stringify([pair.map((words) => words.join(" ")), read]));
}
