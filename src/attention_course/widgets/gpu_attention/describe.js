// What is counted, where no script and no GPU runs; and the read-outs.
import { FORMS } from "./kernels.js";
import { count, megabytes, tell, whole } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const { longest, limits } = state;
  const by = (/** @type {"operations" | "moved"} */ part) =>
    Object.fromEntries(
      FORMS.map((form) => [form, count(form, { ...state, n: longest })[part]]),
    );
  const sizes = limits.longest.options.filter((/** @type {number} */ n) => n < longest);
  return {
    readouts: { operations: by("operations"), moved: by("moved") },
    sentence: tell(state),
    head: [
      "tokens",
      "three passes move at least",
      "one fused kernel",
      "operations a byte: three passes",
      "fused",
    ],
    rows: [...sizes, longest].map((n) => {
      const both = FORMS.map((form) => count(form, { ...state, n }));
      return [
        whole(n),
        ...both.map(({ moved }) => megabytes(moved)),
        ...both.map(({ operations, moved }) => (operations / moved).toFixed(0)),
      ];
    }),
    caption: "Counted, not measured: with WebGPU this page runs both on your own GPU.",
  };
}
