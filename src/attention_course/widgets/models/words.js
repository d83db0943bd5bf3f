// From text to numbers, and back: attention_course.data.parallel.

const ENGLISH = /'(?:s|t|re|ve|ll|d|m)(?![\p{L}\p{N}_])|[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu;
const UNKNOWN = "<unknown>";
const MARKS = ["<pad>", "<start>", "<end>"];

/** Lower-case words and marks. @param {string} text @returns {string[]} */
export function splitEnglish(text) {
  return text.normalize("NFC").replaceAll("’", "'").toLowerCase().match(ENGLISH) ?? [];
}

/** The symbols of a vocabulary in order, as `about` of a model holds them. @param {string} lines */
export function vocabulary(lines) {
  const symbols = [...MARKS, ...lines.split("\n")];
  const numbers = new Map(symbols.map((symbol, i) => [symbol, i]));
  const unknown = /** @type {number} */ (numbers.get(UNKNOWN));
  return {
    symbols,
    unknown,
    /** @param {string[]} words */
    encode: (words) => words.map((word) => numbers.get(word) ?? unknown),
  };
}

/** How many words share the gaze, if each gets as much of it; 0 where one gets more. @param {number[]} weights */
export function sharers(weights) {
  const seen = weights.filter((w) => w > 0);
  return seen.length > 1 && Math.max(...seen) - Math.min(...seen) < 1e-9 ? seen.length : 0;
}
