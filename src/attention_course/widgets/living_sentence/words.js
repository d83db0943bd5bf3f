// What the widget says.

/** @typedef {Record<string, number>} Costs in nats a word, by cut */

const PARTS = {
  head: (/** @type {string[]} */ [l, h]) => `head ${h} of layer ${l} silenced`,
  layer: (/** @type {string[]} */ [l]) => `layer ${l} taken out`,
  attention: (/** @type {string[]} */ [l]) => `the attention of layer ${l} taken out`,
  "feed-forward": (/** @type {string[]} */ [l]) => `the feed-forward part of layer ${l} taken out`,
  residual: (/** @type {string[]} */ [l]) => `no residual connection in layer ${l}`,
  uniform: (/** @type {string[]} */ [l]) => `equal weights in layer ${l}`,
};
/** @type {Record<string, string>} */
const WHOLES = { "positions-none": "no positions", "positions-shuffled": "shuffled positions", scale: "scores not divided by √32", mask: "no mask" };

/** A cut in words. @param {string} cut */
export function cutInWords(cut) {
  if (cut in WHOLES) return WHOLES[cut];
  const [, part, numbers] = /** @type {string[]} */ (cut.match(/^([a-z-]+?)-([\d-]+)$/));
  return PARTS[/** @type {keyof typeof PARTS} */ (part)](numbers.split("-"));
}

/** A change with its sign. @param {number} x */
export function signed(x) {
  return `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;
}

/** What single cuts cost over many sentences; of several at once nobody knows. @param {string[]} cuts @param {boolean} exchanged @param {Costs} costs */
export function costs(cuts, exchanged, costs) {
  if (cuts.length > 1 || (cuts.length && exchanged)) return "These cuts together were tried on your sentence only.";
  const [cut] = cuts;
  if (cut === undefined || !(cut in costs)) return "";
  return `Over 1,000 held-out sentences this cut changes the loss by ${signed(costs[cut])} nats a word: ${cutInWords(cut)}.`;
}

/** What a head looks at over many sentences, and over the same with their words shuffled. @param {{layer: number, head: number}} at @param {Record<string, [number, number][]>} looks */
export function meaning({ layer, head }, looks) {
  const all = (looks[`head-${layer}-${head}`] ?? []).map(([text, shuffled]) => `${text.toFixed(2)} (${shuffled.toFixed(2)})`);
  return `Layer ${layer}, head ${head}, over 1,000 held-out sentences: ${all[0]} of its weight is on the word before, ${all[1]} on the first word, and ${all[2]} on words that follow an earlier copy of the word; in brackets the same with the words shuffled.`;
}

/** @param {string[]} words */
const listed = (words) => words.map((word) => `“${word}”`).join(", ");

/** Of words that the model cannot know. @param {string[]} words @param {boolean[]} unknown */
export function strangers(words, unknown) {
  const strange = [...new Set(words.filter((_, j) => unknown[j]))];
  if (!strange.length) return "";
  if (unknown.every(Boolean)) return "The model knows none of these words. It learned English from Bible verses: try “king”, “house”, “water” or “said”.";
  return `${listed(strange)} ${strange.length > 1 ? "are" : "is"} not among the 2,999 words that the model knows: it reads one and the same mark for each.`;
}

/**
 * @typedef {object} Told
 * @property {string} word that is looked at
 * @property {string} where the layer and the head
 * @property {string} to what it looks at most
 * @property {number} weight
 * @property {number} alike how many words share the gaze, if they do
 * @property {boolean} cut
 * @property {{word: string, p: number}} now the likeliest next word
 * @property {{word: string, p: number, now: number}} free the same without the cuts, and with them
 * @property {[number, number] | null} loss with the cuts and without
 * @property {string} more of the view
 */

/** @param {Told} told */
export function sentence({ word, where, to, weight, alike, cut, now, free, loss, more }) {
  const looks = alike ? `looks alike at all ${alike} words that it sees: ${weight.toFixed(2)} of its weight for each` : `looks most at “${to}”: ${weight.toFixed(2)} of its weight`;
  const gaze = to ? `In ${where}, “${word}” ${looks}.` : "";
  const next = `The model expects “${now.word}” next (${now.p.toFixed(2)}).`;
  const changed = now.word === free.word ? `Cut, it still expects “${now.word}” next: ${now.p.toFixed(2)} instead of ${free.p.toFixed(2)}.` : `Cut, it expects “${now.word}” (${now.p.toFixed(2)}) instead of “${free.word}”, which falls from ${free.p.toFixed(2)} to ${free.now.toFixed(2)}.`;
  const lost = cut && loss ? `The loss on the sentence goes from ${loss[1].toFixed(2)} to ${loss[0].toFixed(2)} nats a word.` : "";
  return [cut ? changed : next, lost, more, gaze].filter(Boolean).join(" ");
}
