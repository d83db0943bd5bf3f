// What is true of an English sentence of the small world (data/world/truth.py), and what its
// French words mean.
import { reading } from "../kit/reading.js";
import { alignment, LANGUAGES, parse, unpacked, wordsOf } from "../kit/world.js";
import { aligned } from "./maths.js";

const [FRENCH, ENGLISH] = LANGUAGES;
const MOST = 2000; // trees that are looked at

/** @typedef {import("../kit/world.js").Tree} Tree */
/** @typedef {{ words: string[], from: number[][] }} Right a translation, and the words that each of its words comes from */
/** @typedef {ReturnType<typeof worldOf>} World */

/** The grammar and all that is asked of it. @param {string} packed @param {number} longest words and marks that are read */
export function worldOf(packed, longest) {
  const grammar = unpacked(JSON.parse(packed));
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
    reading: reading(grammar, "english", longest),
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

/** The words of a sentence as the grammar writes them; as they are typed while it is not there. @param {string} text @param {World | null} world */
export function readWords(text, world) {
  if (!world) return text.toLowerCase().match(/[\p{L}-]+|\S/gu) ?? [];
  const { words, problem, changes } = world.reading.read(text);
  if (!words)
    throw new Error([problem, changes.flatMap((one) => one.words).join(", ")].join(" "));
  return words;
}

/** The right translation that shares most words with what is written, in their order; the first of several. @param {string[]} written @param {Right[]} right */
export function nearest(written, right) {
  const all = right.map((one) => ({ one, ...aligned(written, one.words) }));
  const shared = all.map(({ lost }) => lost.filter((gone) => !gone).length);
  return all[shared.indexOf(Math.max(...shared))];
}

/** For each written word its place in the right translation, or that of the word which should be there; -1 where that is not clear. @param {boolean[]} fresh @param {boolean[]} lost */
export function places(fresh, lost) {
  const found = fresh.map(() => -1);
  for (let i = 0, j = 0; i < fresh.length || j < lost.length; i++, j++) {
    const [from, to] = [i, j];
    while (fresh[i]) i++;
    while (lost[j]) j++;
    if (i - from === j - to) for (let k = 0; k < i - from; k++) found[from + k] = to + k;
    if (i < fresh.length) found[i] = j;
  }
  return found;
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
