// What the heads widget says in words.

/** @param {number} n */
export function ordinal(n) {
  const ending =
    n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${ending}`;
}

/** Where a token stands, seen from the cover. @param {number} t @param {number} place @param {number} length tokens, both marks included */
export function where(t, place, length) {
  if (t === place) return "the cover itself";
  if (t === 0) return "the start mark";
  if (t === length - 1) return "the end mark";
  const far = Math.abs(t - place);
  const side = t < place ? "before" : "after";
  return far === 1
    ? `the letter ${side}`
    : `${["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"][far - 2]} ${side}`;
}

/** What one head does, in a few words. @param {number[]} weights @param {number} place */
export function glance(weights, place) {
  const top = weights.indexOf(Math.max(...weights));
  const sure = weights[top] >= 0.5 ? "mostly" : "around, most";
  return `${sure} at ${where(top, place, weights.length)} (${weights[top].toFixed(2)})`;
}

/** "heads 1 and 3". @param {number[]} silent */
export function named(silent) {
  const names = silent.map((h) => String(h + 1));
  if (names.length === 1) return `head ${names[0]}`;
  return `heads ${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** A difference with its sign. @param {number} x */
export function signed(x) {
  return `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(3)}`;
}

/** What stands in place of a silent head: on the control, and in a sentence. */
export const BLADES = {
  zero: { text: "nothing", instead: "nothing instead" },
  mean: { text: "its mean", instead: "its mean instead" },
  other: { text: "another word’s", instead: "another word’s instead" },
};

/**
 * The sentence under the picture.
 * @param {{word: string, place: number, heads: number, silent: number[], blade: import("./maths.js").Blade, chances: number[], answer: number, loss: number, lossNow: number, costs: number[], words: number}} now
 */
export function sentence({
  word,
  place,
  heads,
  silent,
  blade,
  chances,
  answer,
  loss,
  lossNow,
  costs,
  words,
}) {
  const letter = (/** @type {number} */ i) => String.fromCharCode(97 + i);
  const best = chances.indexOf(Math.max(...chances));
  const shown = `${word.slice(0, place - 1)}_${word.slice(place)}`;
  const guess =
    best === answer ? "which is its best guess" : `and its best guess is ${letter(best)}`;
  const who =
    silent.length === 0
      ? heads === 1
        ? "With its one head"
        : `With all ${heads} heads`
      : `${silent.length === heads ? "With every head silent" : `Without ${named(silent)}`} (${BLADES[blade].instead})`;
  const dear = costs.indexOf(Math.max(...costs));
  const cheap = costs.indexOf(Math.min(...costs));
  const first = `${who} the model gives the ${ordinal(place)} letter of ${shown} a chance of ${chances[answer].toFixed(3)} to be ${letter(answer)}, ${guess}. `;
  const measured = `On ${words} words that it never saw, its loss is ${lossNow.toFixed(3)} nats a letter`;
  if (silent.length)
    return `${first}${measured}, against ${loss.toFixed(3)} with all heads: ${signed(lossNow - loss)}.`;
  if (heads === 1)
    return `${first}${measured}; without its only head (${BLADES[blade].instead}) it would be ${signed(costs[0])} worse.`;
  return `${first}${measured}. Of one head alone (${BLADES[blade].instead}), head ${dear + 1} would be missed most (${signed(costs[dear])}), head ${cheap + 1} least (${signed(costs[cheap])}).`;
}
