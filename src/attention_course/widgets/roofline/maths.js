// What attention asks of a device and how long it takes at least: as reference/scale/roofline.py.

/**
 * @typedef {"naive" | "chunked" | "tiled" | "training" | "decode"} Variant
 * @typedef {{variant: Variant, device: string, dtype: string, n: number, d: number, heads: number,
 *   group: number, batch: number, causal: boolean, block: number}} State
 * @typedef {{peak: Record<string, number>, missing: Record<string, string>, bandwidth: number,
 *   exponentials: number, l2: number | null, cache: number, memory: number}} Device
 * @typedef {{devices: Record<string, Device>, variants: Record<Variant, string>,
 *   ceilings: Record<string, string>, bytes: Record<string, number>, chunk: number, tile: number}} Constants
 * @typedef {{matmul: number, useful: number, exponentials: number, moved: number, streamed: number, held: number}} Work
 * @typedef {{times: Record<string, number>, binding: string, seconds: number, summed: number, fits: boolean}} Time
 */

/** Names by key, in their order, out of the pairs that Python stores. @param {any} stored @returns {Constants} */
export function inOrder(stored) {
  return {
    ...stored,
    variants: Object.fromEntries(stored.variants),
    ceilings: Object.fromEntries(stored.ceilings),
  };
}

/** Heads of keys and values: a group of query heads shares one. @param {{heads: number, group: number}} state */
export function keyHeads({ heads, group }) {
  return heads / Math.min(heads, group);
}

/** How many scores tiles of so many queries compute, and how many keys they fetch. @param {number} n @param {number} rows @param {boolean} causal */
export function walk(n, rows, causal) {
  const full = Math.floor(n / rows);
  const rest = n - full * rows;
  if (!causal) return { pairs: n * n, keys: (full + (rest ? 1 : 0)) * n };
  const steps = (rows * full * (full + 1)) / 2;
  return { pairs: rows * steps + rest * n, keys: steps + (rest ? n : 0) };
}

/** Operations, exponentials, bytes moved and held. @param {State} state @param {Constants} constants @returns {Work} */
export function work(state, { devices, bytes, chunk }) {
  const { variant, n, d, heads, batch, causal } = state;
  const e = bytes[state.dtype];
  const all = batch * heads;
  const [q, k] = [all * n * d, batch * keyHeads(state) * n * d];
  if (variant === "decode") {
    const one = all * d;
    const fresh = 2 * batch * keyHeads(state) * d;
    const matmul = 4 * all * n * d;
    const moved = e * (2 * k + fresh + 2 * one);
    return {
      matmul,
      useful: matmul,
      exponentials: all * n,
      moved,
      streamed: moved,
      held: e * (2 * k + 2 * one) + 4 * all,
    };
  }
  const rows = Math.min(
    n,
    variant === "naive" ? n : variant === "chunked" ? chunk : state.block,
  );
  const { pairs: each, keys } = walk(n, rows, causal);
  const pairs = all * each;
  const [once, stream] = [2 * (q + k), 2 * (q + all * keys * d)];
  const training = variant === "training";
  const products = training ? 14 : 4;
  let [moved, streamed, extra] = [0, 0, 0];
  if (variant === "naive" || variant === "chunked") {
    moved = streamed = e * ((variant === "naive" ? once : stream) + 4 * pairs);
    extra = 2 * e * all * rows * n;
  } else {
    extra = (training ? 8 : 4) * all * n;
    const fits = 2 * e * n * d <= devices[state.device].cache;
    const statistics = training ? 2 * extra : extra;
    streamed = e * (training ? 2 * stream + 2 * q + 4 * k : stream) + statistics;
    moved = fits ? (training ? 3 : 1) * e * once + statistics : streamed;
  }
  return {
    matmul: products * pairs * d,
    useful: (products * all * n * n * d) / (causal ? 2 : 1),
    exponentials: pairs * (training ? 2 : 1),
    moved,
    streamed,
    held: e * (training ? 2 : 1) * once + extra,
  };
}

/** The time by each ceiling; null where the device has no arithmetic for the format. @param {Work} asked @param {Device} device @param {string} dtype @returns {Time | null} */
export function timeOf(asked, device, dtype) {
  const peak = device.peak[dtype];
  if (!peak) return null;
  /** @type {Record<string, number>} */
  const times = {
    matmul: asked.matmul / peak,
    exponentials: asked.exponentials / device.exponentials,
    ...(device.l2 ? { l2: asked.streamed / device.l2 } : {}),
    memory: asked.moved / device.bandwidth,
  };
  const binding = Object.keys(times).reduce((best, name) =>
    times[name] > times[best] ? name : best,
  );
  const summed = Object.values(times).reduce((sum, seconds) => sum + seconds, 0);
  return { times, binding, seconds: times[binding], summed, fits: asked.held <= device.memory };
}

const PREFIXES = ["n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];

/** Three digits and a prefix: 5.21 ms, 550 GFLOP. @param {number} x @param {string} unit */
export function withUnit(x, unit) {
  if (x === 0) return `0 ${unit}`.trim();
  const [digits, power] = x.toExponential(2).split("e").map(Number);
  const step = Math.min(6, Math.max(-3, Math.floor(power / 3)));
  const shift = power - 3 * step;
  const text = (digits * 10 ** shift).toFixed(Math.max(0, 2 - shift));
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${PREFIXES[step + 3]}${unit}`.trim();
}

/** What is seen, in words. @param {State} state @param {Constants} constants */
export function tell(state, constants) {
  const device = constants.devices[state.device];
  const asked = work(state, constants);
  const time = timeOf(asked, device, state.dtype);
  if (!time) return `No time can be given, because ${device.missing[state.dtype]}.`;
  const s = (/** @type {number} */ x) => withUnit(x, "s");
  const { matmul, exponentials, l2, memory } = time.times;
  const cache = l2 === undefined ? "" : `L2 ${s(l2)}, `;
  const out = cache ? "" : ` L2 is left out: ${device.missing.l2}.`;
  const masked =
    asked.matmul > 1.5 * asked.useful
      ? " Nearly half of its operations are masked afterwards."
      : "";
  const room = time.fits
    ? ""
    : ` It needs ${withUnit(asked.held, "B")} of memory, and there are ${withUnit(device.memory, "B")}.`;
  return (
    `${state.device}, ${constants.variants[state.variant]}: at least ${s(time.seconds)}, held up by ${constants.ceilings[time.binding]}. ` +
    `Alone, matrix products take ${s(matmul)}, exponentials ${s(exponentials)}, ${cache}memory ${s(memory)}; one after the other, ${s(time.summed)}.${out}${masked}${room}`
  );
}

/** Which of the guesses is nearest in ratio. @param {number[]} guesses @param {number} answer */
export function nearest(guesses, answer) {
  const far = (/** @type {number} */ guess) => Math.abs(Math.log(guess / answer));
  return guesses.reduce((best, guess) => (far(guess) < far(best) ? guess : best));
}
