// English sentences of a part of the small world, and their French: data/world/sentences.py, with the same draws.
import { alignment, LANGUAGES, parse, unpacked, wordsOf, writer } from "../kit/world.js";

/** @typedef {{packed: string, lengths: number[]}} World packed: the grammar's JSON */

const [FRENCH, ENGLISH] = LANGUAGES;

/** What draws and reads its sentences. @param {World} world @param {string[]} vocabulary the English words, sorted */
export function sentences({ packed, lengths: [fewest, most] }, vocabulary) {
  const grammar = unpacked(JSON.parse(packed));
  const write = writer(grammar);
  const places = new Map(vocabulary.map((word, place) => [word, place]));
  const said = (
    /** @type {import("../kit/world.js").Tree} */ tree,
    /** @type {string} */ language,
  ) =>
    wordsOf(tree, language)
      .map(([word]) => word)
      .join(" ");
  return {
    /** About every tenth is held out. @param {number} count @param {import("../kit/random.js").RandomState} rng @param {boolean} heldOut */
    draw(count, rng, heldOut) {
      const pairs = [];
      while (pairs.length < count) {
        const tree = write(rng);
        const source = said(tree, ENGLISH);
        const words = source.split(" ");
        if (words.length - 1 < fewest || words.length - 1 > most) continue;
        const sum = words.reduce(
          (all, word) => all + /** @type {number} */ (places.get(word)),
          0,
        );
        if ((sum % 10 === 7) === heldOut) pairs.push({ source, target: said(tree, FRENCH) });
      }
      return pairs;
    },
    /** All right translations, each with the places of the English words that its words come from. @param {string} source */
    right(source) {
      const found = new Map(
        parse(grammar, source.split(" "), ENGLISH).map((tree) => [
          said(tree, FRENCH),
          alignment(tree, ENGLISH),
        ]),
      );
      return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}
