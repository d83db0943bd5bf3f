// From words to numbers, and back: attention_course.data.vocabulary.

const MARKS = ["<pad>", "<start>", "<end>"];

/** The symbols of a vocabulary in order, as `about` of a model holds them. @param {string} lines */
export function vocabulary(lines) {
  const symbols = [...MARKS, ...lines.split("\n")];
  const numbers = new Map(symbols.map((symbol, i) => [symbol, i]));
  return {
    symbols,
    /** @param {string[]} words of the vocabulary */
    encode: (words) => words.map((word) => /** @type {number} */ (numbers.get(word))),
  };
}

/** How many words share the gaze, if each gets as much of it; 0 where one gets more. @param {number[]} weights */
export function sharers(weights) {
  const seen = weights.filter((w) => w > 0);
  return seen.length > 1 && Math.max(...seen) - Math.min(...seen) < 1e-9 ? seen.length : 0;
}
