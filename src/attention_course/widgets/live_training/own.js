// A sentence of the reader's: words as people type them, read as the small world writes them.

const MOST = 12; // words and marks
const SHORT = /\b(do|does|did|is|are|was|were)n['’ ]?t\b/g;

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

/** The words most like one. @param {string} word @param {string[]} vocabulary */
export function nearest(word, vocabulary) {
  const all = vocabulary.map((known) => ({ known, far: distance(word, known) }));
  return all
    .sort((a, b) => a.far - b.far || (a.known < b.known ? -1 : 1))
    .slice(0, 3)
    .map(({ known }) => known);
}

/**
 * The sentence as the models read it; throws where it is none of theirs.
 * @param {string} text @param {string[]} vocabulary the words they know
 * @param {(source: string) => Map<string, number[][]>} right all translations of a sentence
 */
export function readOwn(text, vocabulary, right) {
  const words = /** @type {string[]} */ (
    text
      .toLowerCase()
      .replace(SHORT, "$1 not")
      .replace(/[,;:"“”«»()]/g, " ")
      .match(/[\p{L}-]+|[^\s\p{L}]/gu) ?? []
  );
  if (!words.some((word) => /\p{L}/u.test(word)))
    throw new Error("A sentence of words is needed, such as: the red dress is beautiful.");
  if (!/[.?!]/.test(words[words.length - 1]))
    words.push(["do", "does", "is", "are", "who"].includes(words[0]) ? "?" : ".");
  const read = words.map((word) => (word === "!" ? "." : word));
  const unknown = read.find((word) => !vocabulary.includes(word));
  if (unknown)
    throw new Error(
      `These models do not learn the word “${unknown}”; the nearest that they learn: ${nearest(unknown, vocabulary).join(", ")}.`,
    );
  if (read.length > MOST)
    throw new Error(
      `At most ${MOST} words and marks, please; this sentence has ${read.length}.`,
    );
  const source = read.join(" ");
  if (!right(source).size)
    throw new Error(
      "All of these words are known, but the grammar has no such sentence. Try: the lawyer eats the avocado, or: the animal crosses the street because it is tired.",
    );
  return source;
}
