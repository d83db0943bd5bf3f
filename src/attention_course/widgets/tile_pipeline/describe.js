// The timeline where no script runs: this setting on every GPU; and the read-outs.
import { choices } from "../kit/limits.js";
import { play, tell, UNITS, works } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const { constants, device } = state.limits;
  const played = play(state, constants);
  const gpus = choices(device);
  const name = gpus.find(({ value }) => value === state.device)?.text ?? "";
  return {
    readouts: played.now,
    sentence: tell(state, played, name),
    head: [
      "GPU",
      "cycles a block",
      "TFLOP/s",
      ...Object.values(UNITS).map((unit) => unit.name),
    ],
    rows: gpus.map(({ value, text }) => {
      const other = play({ ...state, device: value }, constants);
      const shares = Object.keys(UNITS).map((unit) => works(unit, other));
      const one = other.now;
      return [text, String(Math.round(one.cycles)), String(Math.round(one.tflops)), ...shares];
    }),
    caption: "The same kernel on four GPUs, and how much of its time each unit works",
  };
}
