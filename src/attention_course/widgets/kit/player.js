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
 * @param {number} options.wait for each step, in ms
 * @param {boolean} [options.byHand] each press is one step: nothing moves by itself
 */
export function player({ now, last, go, wait, byHand = false }) {
  const name = byHand ? "Next" : "Play";
  let timer = 0;
  let played = 0; // where playing has come; a place that is another one was somebody's choice
  const pause = () => {
    clearInterval(timer);
    timer = 0;
    button.textContent = name;
  };
  const forward = () => {
    played = Math.min(last, Math.floor(now()) + 1);
    go(played);
    if (now() >= last) pause();
  };
  const button = buttonControl(name, () => {
    if (timer) return pause();
    if (now() < last) forward();
    else go((played = 0));
    if (byHand || now() >= last) return;
    timer = window.setInterval(forward, wait);
    button.textContent = "Pause";
  });
  /** Ends playing if somebody else has moved the slider. */
  const giveWay = () => void (timer && now() !== played && pause());
  return { button, pause, giveWay };
}
