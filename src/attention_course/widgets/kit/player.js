// A button that plays a slider: from where it is to its end, and from the start once it is there.
import { buttonControl } from "./controls.js";
import { tag } from "./elements.js";

/** Whether the reader's system asks for less motion. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** What such a reader sees where others see Play. */
export const stillNote = () =>
  tag("span.ac-hint", "Your system asks for less motion, so there is no Play: press Next.");

/**
 * @param {object} options
 * @param {() => number} options.now the place where the slider is
 * @param {number} options.last the last place
 * @param {(place: number) => void} options.go moves the slider
 * @param {number | (() => number)} options.wait for the next step, in ms
 * @param {() => boolean} [options.ended] whether there is no next step
 * @param {boolean} [options.byHand] each press is one step: nothing moves by itself
 */
export function player({ now, last, go, wait, ended = () => now() >= last, byHand = false }) {
  const name = byHand ? "Next" : "Play";
  let timer = 0;
  let played = 0; // where playing has come; a place that is another one was somebody's choice
  const pause = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = name;
  };
  const goOn = () => {
    if (byHand || ended()) return pause();
    timer = window.setTimeout(forward, typeof wait === "number" ? wait : wait());
    button.textContent = "Pause";
  };
  const forward = () => {
    if (!ended()) go((played = Math.min(last, Math.floor(now()) + 1)));
    goOn();
  };
  const button = buttonControl(name, () => {
    if (timer) return pause();
    if (!ended()) return forward();
    go((played = 0));
    goOn();
  });
  /** Ends playing if somebody else has moved the slider. */
  const giveWay = (at = now()) => void (timer && at !== played && pause());
  return { button, pause, giveWay };
}
