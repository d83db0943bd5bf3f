// What is true of an English sentence of the small world (data/world/truth.py), and what its
// French words mean.
import { alignment, LANGUAGES, parse, unpacked, wordsOf } from "../kit/world.js";
import { aligned } from "../sentence_player/maths.js";

const [FRENCH, ENGLISH] = LANGUAGES;
const MOST = 2000; // trees that are looked at

/** @typedef {import("../kit/world.js").Tree} Tree */
/** @typedef {{ words: string[], from: number[][] }} Right a translation, and the words that each of its words comes from */
/** @typedef {ReturnType<typeof worldOf>} World */

/** The grammar and all that is asked of it. @param {string} packed */
export function worldOf(packed) {
  const grammar = unpacked(JSON.parse(packed));
  const items = Object.values(grammar.rules).flatMap((rules) =>
    rules.flatMap(([, , [, english]]) => english.filter((item) => typeof item === "string")),
  );
  const english = [...new Set(/** @type {string[]} */ (items))].sort();
  const meanings = glosses(grammar);
  /** Which words come from which positions in some translation. @param {(Set<string> | null)[]} tokens */
  const written = (tokens) => {
    /** @type {Map<string, Set<string>>} */
    const found = new Map();
    for (const tree of parse(grammar, tokens, ENGLISH, MOST)) {
      const from = alignment(tree, ENGLISH);
      wordsOf(tree, FRENCH).forEach(([word], i) => {
        const key = String(from[i]);
        found.set(key, (found.get(key) ?? new Set()).add(word));
      });
    }
    return found;
  };
  return {
    grammar,
    english,
    /** An English word for a French one. @param {string} word */
    gloss: (word) => meanings.get(word) ?? "",
    /** All right translations. @param {string[]} words @returns {Right[]} */
    right(words) {
      const all = new Map(
        parse(grammar, words, ENGLISH, MOST).map((tree) => {
          const french = wordsOf(tree, FRENCH).map(([word]) => word);
          return [french.join(" "), { words: french, from: alignment(tree, ENGLISH) }];
        }),
      );
      return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    },
    /** For words that come from these positions, the positions of those that decide them: one of the sentence's words is asked for in each piece. @param {string[]} words @param {number[][]} from @returns {Generator<void, number[][]>} */
    *deciders(words, from) {
      const exact = words.map((word) => new Set([word]));
      const loose = words.map((word) => new Set(/^an?$/.test(word) ? ["a", "an"] : [word]));
      const now = written(exact);
      /** @type {number[][]} */
      const found = from.map(() => []);
      for (let n = 0; n < words.length; n++) {
        yield;
        const other = written(loose.map((token, at) => (at === n ? null : token)));
        from.forEach((own, i) => {
          const could = other.get(String(own)) ?? new Set();
          const can = now.get(String(own)) ?? new Set();
          const decides = [...could].some((word) => !can.has(word));
          if (own.length && !own.includes(n) && decides) found[i].push(n);
        });
      }
      return found;
    },
  };
}

/** The words of a sentence as the grammar writes them, as far as it is there. @param {string} text @param {World | null} world @param {number} longest */
export function readWords(text, world, longest) {
  const { words, problem } = readEnglish(text, world?.english ?? null);
  if (problem) throw new Error(problem);
  if (words.length > longest)
    throw new Error(
      `The sentence has ${words.length} words and marks; the model takes at most ${longest}. Shorten it, or try: ${TRY}.`,
    );
  return words;
}

const TRY = "the red dress is beautiful";
const SPELT = new Map([
  ["neighbor", "neighbour"],
  ["neighbors", "neighbours"],
]);

/**
 * A typed sentence as the grammar writes it, as data/world/reading.py reads it: capitals, accents,
 * apostrophes, contractions, American spelling, a missing full stop.
 *
 * @param {string} text
 * @param {string[] | null} known words; null where any will do
 * @returns {{ words: string[], problem: string, strange?: string, near?: string[] }} what is wrong, in words
 */
export function readEnglish(text, known) {
  const plain = text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[’‘`´]/g, "'")
    .replace(/\b(do|does|did|is|are|was|were)n[' ]?t\b/g, "$1 not")
    .replace(/[,;:"“”«»()]/g, " ");
  const found = plain.match(/[\p{L}]+(?:-[\p{L}]+)*'?|\S/gu) ?? [];
  if (!found.some((word) => !".?!".includes(word)))
    return { words: [], problem: `There is no word in the sentence. Try: ${TRY}.` };
  const words = found.map((word) => (word === "!" ? "." : (SPELT.get(word) ?? word)));
  if (!".?".includes(words[words.length - 1]))
    words.push(/^(does|do|is|are|who)$/.test(words[0]) ? "?" : ".");
  const strange = known && words.find((word) => !known.includes(word));
  if (!strange) return { words, problem: "" };
  const near = nearestWords(strange, known);
  const hint = near.length ? ` The nearest it knows: ${near.join(", ")}.` : ` Try: ${TRY}.`;
  return { words, strange, near, problem: `The small world has no word “${strange}”.${hint}` };
}

/** @param {string} word @param {string[]} known */
function nearestWords(word, known) {
  const far = (/** @type {string} */ other) => {
    let row = Array.from({ length: other.length + 1 }, (_, j) => j);
    [...word].forEach((letter, i) => {
      const next = [i + 1];
      for (let j = 0; j < other.length; j++)
        next.push(
          Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (letter === other[j] ? 0 : 1)),
        );
      row = next;
    });
    return row[other.length];
  };
  return known
    .filter((other) => /\p{L}/u.test(other))
    .map((other) => ({ other, away: far(other) }))
    .filter(({ other, away }) => away <= Math.max(1, Math.min(word.length, other.length) / 2))
    .sort((a, b) => a.away - b.away)
    .slice(0, 3)
    .map(({ other }) => other);
}

/** The right translation that shares most words with what is written, in their order; the first of several. @param {string[]} written @param {Right[]} right */
export function nearest(written, right) {
  /** @type {{ one: Right, lost: boolean[], fresh: boolean[], shared: number } | null} */
  let best = null;
  for (const one of right) {
    const { fresh, lost } = aligned(written, one.words);
    const shared = lost.filter((gone) => !gone).length;
    if (!best || shared > best.shared) best = { one, fresh, lost, shared };
  }
  return best;
}

/** For each written word its place in the right translation; -1 where it is wrong. @param {boolean[]} fresh @param {boolean[]} lost */
export function places(fresh, lost) {
  const there = lost.flatMap((gone, place) => (gone ? [] : [place]));
  return fresh.map((wrong) => (wrong ? -1 : (there.shift() ?? -1)));
}

// What no entry of the lexicon says in short: French words as a pattern, and their meaning.
/** @type {[RegExp, string][]} */
const BY_HAND = [
  [/^(ne|n'|pas)$/, "not"],
  [/^a$/, "has"],
  [/^ont$/, "have"],
  [/^(que|qu')$/, "that"],
  [/^parce$/, "because"],
  [/^est-ce$/, "is it"],
  [/^(son|sa|ses)$/, "his/her"],
  [/^le$/, "the/him m"],
  [/^la$/, "the/her"],
  [/^l'$/, "the/it"],
  [/^est$/, "is"],
  [/^était$/, "was"],
  [/^[.?]$/, ""],
  [/^gentil/, "sweet (kind)"],
  [/^sucré/, "sweet (sugary)"],
  [/^l[ée]g[èe]re?s?$/, "light (to lift)"],
  [/^claire?s?$/, "light (bright)"],
  [/^(de|du|d')$/, "of/some"],
  [/^des$/, "some/of"],
  [/^à$/, "to"],
  [/^aux?$/, "to the"],
  [/^bals?$/, "ball (dance)"],
  [/^balles?$/, "ball (toy)"],
  [/^banques?$/, "bank (money)"],
  [/^rives?$/, "bank (river)"],
  [/^avocats?$/, "lawyer/avocado"],
];
const SKIPPED = new Set(["Part", "Bare"]); // their words are in other categories, with an ending

/** The meaning of each French word, and its gender where it shows one. @param {import("../kit/world.js").Grammar} grammar */
function glosses({ rules }) {
  /** @type {Map<string, Set<string>>} */
  const meanings = new Map();
  /** @type {Map<string, Set<string>>} */
  const genders = new Map();
  const note = (
    /** @type {Map<string, Set<string>>} */ to,
    /** @type {string} */ word,
    /** @type {string} */ what,
  ) => void to.set(word, (to.get(word) ?? new Set()).add(what));
  const kept = Object.entries(rules).filter(([category]) => !SKIPPED.has(category));
  for (const [, children, sides, known] of kept.flatMap(([, all]) => all)) {
    const [french, english] = sides.map((side) =>
      side.filter((item) => typeof item === "string"),
    );
    const last = french[french.length - 1]; // of “a traversé” it is the one that means “crossed”
    if (!last || !english.length) continue;
    note(meanings, last, english.join(" "));
    if (!children.length) note(genders, last, known.g ?? "");
  }
  return new Map(
    [...meanings.keys(), ...BY_WORD].map((word) => {
      const own = BY_HAND.find(([words]) => words.test(word))?.[1];
      const meant = own ?? [...(meanings.get(word) ?? [])].slice(0, 2).join("/");
      const [gender, ...others] = genders.get(word) ?? [];
      return [word, gender && !others.length ? `${meant} ${gender[0]}` : meant];
    }),
  );
}
const BY_WORD = ["ne", "n'", "a", "ont", "son", "sa", "ses", "parce", "est-ce", "à"];
