// Words as people type them, read as the small world writes them: data/world/reading.py in a page.
import { follower, parse, vocabularyOf, wordsOf } from "./world.js";

/** @typedef {{ text: string, start: number, end: number, words: string[] }} Piece of a text, and the words that it stands for */
/** @typedef {{ start: number, end: number, words: string[] }} Change any of these words may stand there instead */
/** @typedef {{ words: string[], problem: "", changes: Change[] }} Sentence */
/** @typedef {{ words: null, problem: string, changes: Change[] }} Problem */

const SHOWN = 6; // words that are offered
const NOT = /^(do|does|did|is|are|was|were)n[' ]?t$/;
const IS = /^(he|she|it|they|who|that)'(s|re|ll)$/;
/** @type {Record<string, string>} */
const VERBS = { s: "is", re: "are", ll: "will" };
/** @type {Record<string, RegExp>} */
const PIECES = {
  english:
    /(?:do|does|did|is|are|was|were)n['’‘`´ ]?t(?![\p{L}\p{M}])|[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?:['’‘`´][\p{L}\p{M}]+)?|\S/giu,
  french: /(?:l|n|d|qu|j|s)['’‘`´]|[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*['’‘`´]?|\S/giu,
};
/** @type {Record<string, string[]>} */
const ASKS = { english: ["does", "do", "is", "are", "who"], french: ["est-ce", "qui"] };

/** A word without its accents. @param {string} word */
const bare = (word) => word.replace(/œ/g, "oe").normalize("NFD").replace(/\p{M}/gu, "");

/** How many letters must change, come or go. @param {string} a @param {string} b */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1])),
      );
    row = next;
  }
  return row[b.length];
}

/** The words most like one, three at most; one that goes on where it ends is as near as a slip. @param {string} word @param {string[]} vocabulary */
export function nearest(word, vocabulary) {
  const far = (/** @type {string} */ known) =>
    word.length > 2 && known.startsWith(word) ? 1 : distance(bare(word), bare(known));
  return vocabulary
    .map((known) => ({ known, far: far(known) }))
    .filter(({ known, far }) => /\p{L}/u.test(known) && far <= Math.max(2, word.length / 2))
    .sort((a, b) => a.far - b.far || (a.known < b.known ? -1 : 1))
    .slice(0, 3)
    .map(({ known }) => known);
}

/** @param {string} text */
const quoted = (text) => `“${text}”`;

/** What cuts a text into words that a vocabulary may have. @param {string[]} vocabulary @param {"english" | "french"} language */
export function spelling(vocabulary, language) {
  const known = new Set(vocabulary);
  /** @type {Map<string, Set<string>>} */
  const unaccented = new Map();
  for (const word of vocabulary)
    unaccented.set(bare(word), (unaccented.get(bare(word)) ?? new Set()).add(word));

  /** @param {string} text */
  const spelled = (text) => {
    const word = text.toLowerCase().normalize("NFC");
    if (word === "!") return ".";
    const british = word.replace(/or(s?)$/, "our$1");
    return language === "english" && !known.has(word) && known.has(british) ? british : word;
  };
  /** @param {string} text @returns {Piece[]} */
  const pieces = (text) =>
    [...text.matchAll(PIECES[language])]
      .filter(([one]) => !/^[,;:"“”«»()'’‘`´]$/.test(one))
      .map(({ 0: one, index: start }) => {
        const plain = one.toLowerCase().replace(/[’‘`´]/g, "'");
        const [not, is] = language === "english" ? [plain.match(NOT), plain.match(IS)] : [];
        const words = not ? [not[1], "not"] : is ? [is[1], VERBS[is[2]]] : [spelled(plain)];
        return { text: one, start, end: start + one.length, words };
      });
  /** What a word may stand for. @param {string} word @returns {Set<string>} */
  const token = (word) =>
    known.has(word) ? new Set([word]) : (unaccented.get(bare(word)) ?? new Set());
  /** The same if its accents are wrong too. @param {string} word */
  const loose = (word) => unaccented.get(bare(word)) ?? token(word);
  return { spelled, pieces, token, loose };
}

/**
 * What reads sentences of a language.
 *
 * @param {import("./world.js").Grammar} grammar
 * @param {"english" | "french"} language
 * @param {number} most words and marks of a sentence
 */
export function reading(grammar, language, most) {
  const vocabulary = vocabularyOf(grammar, language);
  const { spelled, pieces, token, loose } = spelling(vocabulary, language);
  const follow = follower(grammar, language);
  /** @type {Map<string, Map<string, number>>} */
  const followed = new Map();

  /** What may follow, likeliest first. @param {string[]} words */
  const after = (words) => {
    const key = words.join(" ");
    const before = followed.get(key);
    if (before) return before;
    const found = follow(words.map(loose));
    const sorted = new Map([...found].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
    followed.set(key, sorted);
    return sorted;
  };
  const likely = (/** @type {string[]} */ words) => [...after(words).keys()].slice(0, SHOWN);

  /** Where no sentence goes on as this text does, and how one could. @param {Piece[]} all @param {number} length of the text @returns {Problem} */
  const whereItEnds = (all, length) => {
    /** @type {string[]} */
    const words = [];
    for (const [n, piece] of all.entries()) {
      const stop = piece.words.find((_, i) => {
        const next = after([...words, ...piece.words.slice(0, i)]);
        return ![...loose(piece.words[i])].some((word) => next.has(word));
      });
      if (stop !== undefined) {
        const so = all.slice(0, n).map(({ text }) => text);
        const changes = [{ start: piece.start, end: piece.end, words: likely(words) }];
        if (/^[.?]$/.test(words[words.length - 1] ?? ""))
          return {
            words: null,
            problem: `One sentence at a time: leave out what follows ${quoted(so.join(" "))}.`,
            changes: [],
          };
        const problem = n
          ? `It is a sentence of the small world up to ${quoted(so.join(" "))}; then ${quoted(piece.text)} cannot follow. This could:`
          : `No sentence of the small world begins with ${quoted(piece.text)}. This could:`;
        return { words: null, problem, changes };
      }
      words.push(...piece.words);
    }
    return {
      words: null,
      problem: "This is the beginning of a sentence. It could go on with:",
      changes: [{ start: length, end: length, words: likely(words) }],
    };
  };

  /**
   * The sentence as the grammar writes it; or in words why it is none, and what would work.
   * @param {string} text
   * @returns {Sentence | Problem}
   */
  const readAnew = (text) => {
    const all = pieces(text);
    if (!all.some(({ text: one }) => /\p{L}/u.test(one)))
      return {
        words: null,
        problem: "Write a sentence of the small world. It could begin with:",
        changes: [{ start: 0, end: text.length, words: likely([]) }],
      };
    const unknown = all.filter(({ words }) => words.some((word) => !token(word).size));
    if (unknown.length) {
      const named = unknown.map(({ text: one }) => quoted(one)).join(", ");
      return {
        words: null,
        problem: `${named} ${unknown.length > 1 ? "are" : "is"} not among the words that can be read here. Known:`,
        changes: unknown.map((piece) => {
          const near = nearest(spelled(piece.text), vocabulary);
          const before = all.slice(0, all.indexOf(piece)).flatMap(({ words }) => words);
          const can = before.every((word) => token(word).size) ? likely(before) : [];
          return { start: piece.start, end: piece.end, words: near.length ? near : can };
        }),
      };
    }
    const words = all.flatMap((piece) => piece.words);
    const ended = /^[.?]$/.test(words[words.length - 1]);
    const whole = ended ? words : [...words, ASKS[language].includes(words[0]) ? "?" : "."];
    if (whole.length > most)
      return {
        words: null,
        problem: `At most ${most} words and marks can be read here; with its last mark this sentence has ${whole.length}: leave out ${whole.length - most}.`,
        changes: [],
      };
    for (const tokens of [whole.map(token), whole.map(loose)]) {
      const [tree] = parse(grammar, tokens, language, 1);
      if (tree)
        return {
          words: wordsOf(tree, language).map(([word]) => word),
          problem: "",
          changes: [],
        };
    }
    return whereItEnds(all, text.length);
  };

  let last = { text: "", found: readAnew("") }; // it is asked for again with every picture
  const read = (/** @type {string} */ text) => {
    if (text !== last.text) last = { text, found: readAnew(text) };
    return last.found;
  };

  /**
   * Words that the one at the cursor may become, likeliest first: those that leave the sentence
   * one of the small world; behind what is none, those that begin so.
   * @param {string} text
   * @param {number} cursor
   * @returns {Change & { typed: string, whole: boolean }} whole: what is typed is such a word already
   */
  const complete = (text, cursor) => {
    const all = pieces(text.slice(0, cursor));
    const last = all[all.length - 1];
    const within = last?.end === cursor && /[\p{L}\p{M}]$/u.test(last.text);
    const typed = within ? last.text : "";
    const [rest] = within ? (/^[\p{L}\p{M}-]*/u.exec(text.slice(cursor)) ?? [""]) : [""];
    const start = cursor - typed.length;
    const begun = bare(typed.toLowerCase());
    const before = (within ? all.slice(0, -1) : all).flatMap((piece) => piece.words);
    const can = before.every((word) => token(word).size) ? after(before) : new Map();
    const from =
      can.size || !begun || /^[.?]$/.test(before[before.length - 1] ?? "")
        ? [...can.keys()]
        : vocabulary;
    const fitting =
      before.length < most ? from.filter((word) => bare(word).startsWith(begun)) : [];
    return {
      start,
      end: cursor + rest.length,
      typed,
      words: fitting.filter((word) => word !== typed.toLowerCase() || rest).slice(0, SHOWN),
      whole: fitting.includes(typed.toLowerCase()),
    };
  };
  return { read, complete, vocabulary, language };
}
