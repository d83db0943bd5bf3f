// The heads where no script runs, and their read-outs.
import { chances, examples, look, loss, putters, silentOf, spell, unpack } from "./maths.js";
import { BLADES, glance, sentence, signed } from "./words.js";

/** @param {any} state */
export function describe({
  word,
  place: wanted,
  n_heads: heads,
  silent: off,
  blade,
  models,
  words,
}) {
  const model = unpack(models, heads);
  const [all, silent, place] = [
    examples(model, words),
    silentOf(off, heads),
    Math.min(wanted, word.length),
  ];
  const put = putters(all);
  const { tokens, answer } = spell(word, place);
  const seen = look(model, tokens, place);
  const now = chances(model, seen, silent, put(blade, word, place));
  const whole = loss(model, all, []);
  const lossNow = loss(model, all, silent, blade, put);
  const costs = seen.weights.map((_, h) => loss(model, all, [h], blade, put) - whole);
  return {
    readouts: {
      weight: seen.weights,
      chance: now,
      loss: whole,
      loss_now: lossNow,
      cost: costs,
    },
    sentence: sentence({
      word,
      place,
      heads,
      silent,
      blade,
      chances: now,
      answer,
      loss: whole,
      lossNow,
      costs,
      words: words.length,
    }),
    head: [
      "head",
      "looks",
      `silenced (${BLADES[/** @type {import("./maths.js").Blade} */ (blade)].instead}), the loss changes by`,
    ],
    rows: seen.weights.map((weights, h) => [
      String(h + 1),
      glance(weights, place),
      signed(costs[h]),
    ]),
    caption: "The heads, and what each is worth",
  };
}
