// Reads sentences as the page does: from standard input the file of the language model, sentences
// as numbers, cuts and the order of shuffled places; to standard output logits and weights.
import { readFileSync } from "node:fs";
import { languageModel } from "../../src/attention_course/widgets/models/language.js";
import { readTensors } from "../../src/attention_course/widgets/models/tensors.js";

const { file, sentences, order, other } = JSON.parse(readFileSync(0, "utf8"));
const model = languageModel(readTensors(readFileSync(file)).tensors, order, other);
const read = sentences.map(({ tokens, cuts, blade }) => {
  const reading = model.read(tokens, cuts, blade);
  return {
    logits: tokens.map((_, t) => [...reading.logits(t)]),
    weights: reading.looked.map(({ weights }) => weights),
  };
});
console.log(JSON.stringify(read));
