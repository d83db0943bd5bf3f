// The roofline where no script runs, and its read-outs.
import { inOrder, tell, timeOf, withUnit, work } from "./maths.js";

/** @param {any} state */
export function describe(state) {
  const constants = inOrder(state.limits.constants);
  const device = constants.devices[state.device];
  const asked = work(state, constants);
  const forms = /** @type {import("./maths.js").Variant[]} */ (
    Object.keys(constants.variants)
  ).map((variant) => {
    const found = work({ ...state, variant }, constants);
    return { variant, found, time: timeOf(found, device, state.dtype) };
  });
  const byForm = (/** @type {(form: typeof forms[number]) => number | undefined} */ value) =>
    Object.fromEntries(
      forms.map((form) => [form.variant, value(form)]).filter(([, x]) => x !== undefined),
    );
  const { matmul, exponentials, streamed, moved } = asked;
  return {
    readouts: {
      matmul,
      exponentials,
      streamed,
      moved,
      time: timeOf(asked, device, state.dtype)?.times ?? {},
      ...Object.fromEntries(
        forms.map(({ variant, found }) => [`moved-${variant}`, found.moved]),
      ),
      held: byForm(({ found }) => found.held),
      seconds: byForm(({ time }) => time?.seconds),
    },
    sentence: tell(state, constants),
    head: ["form", "operations", "exponentials", "moved", "held", "at least", "held up by"],
    rows: forms.map(({ variant, found, time }) => [
      constants.variants[variant],
      withUnit(found.matmul, "FLOP"),
      withUnit(found.exponentials, ""),
      withUnit(found.moved, "B"),
      withUnit(found.held, "B"),
      time ? withUnit(time.seconds, "s") : "no time",
      time ? constants.ceilings[time.binding] : "–",
    ]),
    caption: `Five forms of attention on this device: ${state.device}, ${state.dtype}`,
  };
}
