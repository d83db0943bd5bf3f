// The timeline where no script runs: this setting on every GPU; and the read-outs.
import { choices } from "../kit/limits.js";
import { percent, play, tell, UNITS } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const { constants, device } = state.limits;
  const { now } = play(state, constants);
  const gpus = choices(device);
  const name = gpus.find(({ value }) => value === state.device)?.text ?? "";
  return {
    readouts: now,
    sentence: tell(state, now, name),
    head: [
      "GPU",
      "cycles a block",
      "TFLOP/s",
      ...Object.values(UNITS).map((unit) => unit.name),
    ],
    rows: gpus.map(({ value, text }) => {
      const one = play({ ...state, device: value }, constants).now;
      const shares = Object.keys(UNITS).map((unit) => percent(one.busy[unit]));
      return [text, String(Math.round(one.cycles)), String(Math.round(one.tflops)), ...shares];
    }),
    caption: "The same kernel on four GPUs, and how much of its time each unit works",
  };
}
