// A cut in one to four stages, where no script runs; and the read-outs.
import { choices } from "../kit/limits.js";
import { highest, resident, rowOf, rowsOf, tell } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const { constants, gpu, stages } = state.limits;
  const rows = rowsOf(constants);
  const row = rowOf(rows, state);
  const found = resident(row, constants);
  const { registers, spilled, apart, overlapped } = row;
  const known = Object.entries({
    registers,
    spilled,
    apart,
    overlapped,
    occupancy: found?.share,
  }).filter(([, x]) => typeof x === "number");
  const name = choices(gpu).find(({ value }) => value === state.gpu)?.text ?? "";
  return {
    readouts: { ...Object.fromEntries(known), room: found?.room ?? {} },
    sentence: tell(row, found, highest(rows, row), name),
    head: [
      "stages",
      "registers",
      "bytes spilled",
      "shared bytes",
      "programs",
      "occupancy",
      "TFLOP/s apart",
      "at once",
    ],
    rows: stages.options.map((/** @type {number} */ n) => {
      const one = rowOf(rows, { ...state, stages: n });
      const fits = resident(one, constants);
      const cells = [
        n,
        one.registers,
        one.spilled,
        one.shared,
        fits?.programs,
        fits && `${100 * fits.share} %`,
        one.apart,
        one.overlapped,
      ];
      return cells.map((x) => String(x ?? "–"));
    }),
    caption: `This cut in one to four stages, ${name}, width ${state.d}`,
  };
}
