// What the page holds to be true: from standard input a grammar, and sentences with what is
// written of them, or French words whose glosses are asked for.
import { readFileSync } from "node:fs";
import {
  nearest,
  places,
  worldOf,
} from "../../src/attention_course/widgets/world_player/truth.js";

const { grammar, rows, glosses } = JSON.parse(readFileSync(0, "utf8"));
const world = worldOf(grammar, 60);
const answers = (rows ?? []).map(({ words, from, written }) => {
  const right = world.right(words);
  const { one, fresh, lost } = nearest(written, right);
  const asked = world.deciders(words, from);
  let step = asked.next();
  while (!step.done) step = asked.next();
  return {
    right: right.map((each) => each.words),
    from: places(fresh, lost).map((place, i) => (fresh[i] ? null : one.from[place])),
    deciders: step.value,
  };
});
console.log(JSON.stringify(glosses ? glosses.map(world.gloss) : answers));
