// Writes translations as the page does: from standard input the file of a model, sentences as
// numbers and cuts; to standard output what is written, with its logits and weights unless brief.
import { readFileSync } from "node:fs";
import { readTensors } from "../../src/attention_course/widgets/models/tensors.js";
import {
  translation,
  translator,
  UNCUT,
} from "../../src/attention_course/widgets/models/translators.js";

const { file, sentences, longest, brief, other } = JSON.parse(readFileSync(0, "utf8"));
const { tensors, about } = readTensors(readFileSync(file));
const model = translator(tensors, other, about);
const started = performance.now();
const written = sentences.map(({ tokens, cuts }) => {
  const run = translation(model, tokens, { ...UNCUT, ...cuts }, longest);
  while (!run.ended()) run.next();
  return run.written.map(({ symbol, logits, weights }) =>
    brief ? { symbol } : { symbol, logits: [...logits], weights },
  );
});
const words = written.flat().length;
console.log(JSON.stringify({ written, milliseconds: (performance.now() - started) / words }));
