// What the widget says.

/** @typedef {Record<string, number>} Costs in nats a word, by cut */

/** @typedef {import("./maths.js").State["blade"]} Blade */

/** What stands in place of a part that is cut: on the control, behind a part, and before what it does. @type {Record<Blade, {text: string, put: string, by: string}>} */
export const BLADES = {
  zero: { text: "nothing", put: "set to zero", by: "Cut (nothing in its place), " },
  mean: { text: "its mean", put: "replaced by its mean", by: "Cut (its mean in its place), " },
  other: {
    text: "another sentence’s",
    put: "replaced by another sentence’s",
    by: "Cut (another sentence’s in its place), ",
  },
};

/** @type {Record<string, (numbers: string[]) => string>} */
const PARTS = {
  head: ([l, h]) => `head ${h} of layer ${l}`,
  layer: ([l]) => `layer ${l}`,
  attention: ([l]) => `the attention of layer ${l}`,
  "feed-forward": ([l]) => `the feed-forward part of layer ${l}`,
};
/** @type {Record<string, (numbers: string[]) => string>} */
const CHANGES = {
  residual: (/** @type {string[]} */ [l]) => `no residual connection in layer ${l}`,
  uniform: (/** @type {string[]} */ [l]) => `equal weights in layer ${l}`,
};
/** @type {Record<string, string>} */
const WHOLES = {
  "positions-none": "no positions",
  "positions-mean": "the mean position at every place",
  "positions-shuffled": "shuffled positions",
  scale: "scores not divided by √d_k",
  mask: "no mask",
};

/** A cut in words. @param {string} cut @param {Blade} blade */
export function cutInWords(cut, blade) {
  if (cut in WHOLES) return WHOLES[cut];
  const [, part, text] = /** @type {string[]} */ (cut.match(/^([a-z-]+?)-([\d-]+)$/));
  const numbers = text.split("-");
  return part in PARTS
    ? `${PARTS[part](numbers)} ${BLADES[blade].put}`
    : CHANGES[part](numbers);
}

/** What a cut costs over many sentences, if that is known. @param {string} cut @param {Blade} blade @param {Costs} costs */
export function costOf(cut, blade, costs) {
  return costs[`${cut} ${blade}`] ?? costs[cut];
}

/** A change with its sign. @param {number} x */
export function signed(x) {
  return `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;
}

/** What single cuts cost over many sentences; of several at once nobody knows. @param {string[]} cuts @param {Blade} blade @param {boolean} exchanged @param {Costs} costs */
export function costs(cuts, blade, exchanged, costs) {
  if (cuts.length > 1 || (cuts.length && exchanged))
    return "These cuts together were tried on your sentence only.";
  const [cut] = cuts;
  if (cut === undefined || !(cut in costs)) return "";
  return `Over 1,000 held-out sentences this cut changes the loss by ${signed(costOf(cut, blade, costs))} nats a word: ${cutInWords(cut, blade)}.`;
}

/** What a head looks at over many sentences. @param {import("./maths.js").State} at @param {Record<string, [number, number][]>} looks how often it is right, and by chance */
export function meaning({ layer, head }, looks) {
  const seen = looks[`head-${layer}-${head}`];
  if (!seen) return "";
  const who = `Layer ${layer}, head ${head}, over 1,000 held-out sentences: `;
  const [before, subject, verb, noun] = seen.map(([right, chance]) =>
    [right, chance]
      .map((x) => `${(100 * x).toFixed(0)} %`)
      .join(" (by chance ")
      .concat(")"),
  );
  return `${who}its largest weight is on the verb for ${verb} of the articles and adjectives before an object, on the subject for ${subject} of verbs, on the noun that is meant for ${noun} of pronouns, and on the word before for ${before} of all words.`;
}

/**
 * @typedef {object} Told
 * @property {string} word that is looked at
 * @property {string} where the layer and the head
 * @property {string} to what it looks at most
 * @property {number} weight
 * @property {number} alike how many words share the gaze, if they do
 * @property {boolean} cut
 * @property {Blade | null} blade of the parts that are cut, if some are
 * @property {{word: string, p: number}} now the likeliest next word
 * @property {{word: string, p: number, now: number}} free the same without the cuts, and with them
 * @property {[number, number] | null} loss with the cuts and without
 * @property {string} more of the view
 */

/** @param {Told} told */
export function sentence({
  word,
  where,
  to,
  weight,
  alike,
  cut,
  blade,
  now,
  free,
  loss,
  more,
}) {
  const looks = alike
    ? `looks alike at all ${alike} words that it sees: ${weight.toFixed(2)} of its weight for each`
    : `looks most at “${to}”: ${weight.toFixed(2)} of its weight`;
  const gaze = to ? `In ${where}, “${word}” ${looks}.` : "";
  const next = `The model expects “${now.word}” next (${now.p.toFixed(2)}).`;
  const by = blade ? BLADES[blade].by : "Cut, ";
  const changed =
    now.word === free.word
      ? `${by}it still expects “${now.word}” next: ${now.p.toFixed(2)} instead of ${free.p.toFixed(2)}.`
      : `${by}it expects “${now.word}” (${now.p.toFixed(2)}) instead of “${free.word}”, which falls from ${free.p.toFixed(2)} to ${free.now.toFixed(2)}.`;
  const lost =
    cut && loss
      ? `The loss on the sentence goes from ${loss[1].toFixed(2)} to ${loss[0].toFixed(2)} nats a word.`
      : "";
  return [cut ? changed : next, lost, more, gaze].filter(Boolean).join(" ");
}
