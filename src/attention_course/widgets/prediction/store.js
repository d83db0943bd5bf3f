// Guesses stay in this browser, by page and question; without storage they last as long as the page.
import { keep, kept } from "../kit/kept.js";

/** @param {string} question */
const place = (question) => `${location.pathname}: ${question}`;

/** The guess that was kept, or null. @param {string} question @returns {any} */
export function recall(question) {
  try {
    return JSON.parse(kept(place(question)) ?? "null");
  } catch {
    return null;
  }
}

/** Keep a guess; null forgets it. @param {string} question @param {{guess: number[]} | null} guess */
export const remember = (question, guess) =>
  keep(place(question), guess && JSON.stringify(guess));
