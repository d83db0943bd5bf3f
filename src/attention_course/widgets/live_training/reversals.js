// Strings of letters, to be written from the end: attention_course.data.tasks.random_reversals.
import { below } from "./dates.js";

/** @typedef {import("../kit/random.js").RandomState} RandomState */

/** Strings, and the same read from the end; about every tenth is held out. @param {string[]} letters @param {number[]} lengths the shortest and the longest @param {number} count @param {RandomState} rng @param {boolean} heldOut */
export function reversals(letters, [fewest, most], count, rng, heldOut) {
  const pairs = [];
  while (pairs.length < count) {
    const n = fewest + below(rng, most + 1 - fewest);
    const places = Array.from({ length: n }, () => below(rng, letters.length));
    if ((places.reduce((sum, place) => sum + place, 0) % 10 === 7) !== heldOut) continue;
    const source = places.map((place) => letters[place]);
    pairs.push({ source: source.join(""), target: source.reverse().join("") });
  }
  return pairs;
}
