// Dates in words and in ISO 8601: attention_course.data.dates, with the same draws.

/**
 * @typedef {{patterns: string[], months: Record<string, string[]>, days: Record<string, string[]>}} Language
 * @typedef {import("../kit/random.js").RandomState} RandomState
 */

const FIELD = /'([^']*)'|(E+|M+|d+|y+)|([^EMdy']+)/g;
const DAY = 86_400_000;
const EPOCH = 719_163; // Python's number of 1 January 1970
const [FIRST, LAST] = [693_596, 766_644]; // 1 January 1900, 31 December 2099

/** A whole number from 0 to `count` - 1: numpy.random.RandomState.randint. @param {RandomState} rng @param {number} count */
export function below(rng, count) {
  if (count === 1) return 0;
  const mask = 2 ** Math.ceil(Math.log2(count)) - 1;
  for (;;) {
    const value = (rng.bits() & mask) >>> 0;
    if (value < count) return value;
  }
}

/** @param {Date} day @param {string} field as many letters, as long the name @param {Language} language */
function say(day, field, { months, days }) {
  if (field === "d") return String(day.getUTCDate());
  if (field === "y") return String(day.getUTCFullYear());
  const width = field.length === 4 ? "wide" : "abbreviated";
  return (
    field[0] === "M" ? months[width][day.getUTCMonth()] : days[width][(day.getUTCDay() + 6) % 7]
  ).toLowerCase();
}

/** Days from 1900 to 2099, each in one language and pattern; every tenth is held out. @param {{languages: Language[]}} formats @param {number} count @param {RandomState} rng @param {boolean} heldOut */
export function dates({ languages }, count, rng, heldOut) {
  const pairs = [];
  while (pairs.length < count) {
    const ordinal = FIRST + below(rng, LAST + 1 - FIRST);
    if ((ordinal % 10 === 7) !== heldOut) continue;
    const language = languages[below(rng, languages.length)];
    const pattern = language.patterns[below(rng, language.patterns.length)];
    const day = new Date((ordinal - EPOCH) * DAY);
    const source = pattern.replace(FIELD, (_, quoted, field, between) =>
      field ? say(day, field, language) : (quoted ?? between),
    );
    pairs.push({ source, target: day.toISOString().slice(0, 10) });
  }
  return pairs;
}
