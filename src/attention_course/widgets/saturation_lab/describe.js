// The lab where no script runs: the sentence, and six widths with and without the factor.
import { formatNumber } from "../kit/numbers.js";
import { buildDraws, buildTable, finish, saturation } from "./maths.js";
import { sayWeight, sentence } from "./words.js";

const PARTS = ["top weight", "dead queries", "gradient reaching q"];

/** @param {any} state */
export function describe(state) {
  const { sizes, seed, number_format: format } = state;
  const table = finish(buildTable(finish(buildDraws(seed, sizes)), format));
  const batch = (/** @type {object} */ more) =>
    saturation(table, { ...state, scale_value: 1, offsets: [], ...more }).batch;
  const rows = [4, 16, 64, 256, 1024, 4096].map((d_k) => {
    const both = ["none", "sqrt_d_k"].map((scale) => batch({ d_k, scale }));
    const cells = [
      both.map((x) => sayWeight(x.top_weight_median)),
      both.map((x) => `${Math.round(100 * x.dead)}%`),
      both.map((x) => formatNumber(x.gradient_norm_median, 2)),
    ];
    return [String(d_k), ...cells.flat()];
  });
  return {
    readouts: {}, // on_page.py asks the reference
    sentence: `At d_k = ${state.d_k}: ${sentence(saturation(table, state), state, sizes.queries)}`,
    head: ["d_k", ...PARTS.flatMap((part) => [`${part}, unscaled`, `${part}, ÷ √d_k`])],
    rows,
    caption: `Medians over ${sizes.queries} random queries; dead: the norm of the Jacobian is below ${sizes.dead}.`,
  };
}
