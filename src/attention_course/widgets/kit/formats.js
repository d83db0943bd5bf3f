// Rounding to a number format; equal, bit for bit, to attention_course.reference.round_to.

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** @param {number} x */
function toFloat32(x) {
  return Math.fround(x);
}

/** The upper half of a float32, ties to even. @param {number} x */
function toBfloat16(x) {
  single[0] = x;
  if (x !== x) return x;
  bits[0] = (bits[0] + 0x7fff + ((bits[0] >>> 16) & 1)) & 0xffff0000;
  return single[0];
}

/** Eleven significant bits, ties to even, steps of 2**-24 near zero. @param {number} x */
function toFloat16(x) {
  single[0] = x;
  const f = single[0];
  const size = Math.abs(f);
  // From 0.5 to 1 a float32 has steps of 2**-24: adding 0.75 makes it round for us.
  if (size < 6.103515625e-5)
    return f < 0 ? -(Math.fround(0.75 - f) - 0.75) : f === 0 ? f : Math.fround(f + 0.75) - 0.75;
  if (size >= 65520) return f > 0 ? Infinity : -Infinity;
  if (f !== f) return f;
  bits[0] = (bits[0] + 0xfff + ((bits[0] >>> 13) & 1)) & 0xffffe000;
  return single[0];
}

/** @type {Record<string, (x: number) => number>} */
export const ROUND = { float32: toFloat32, bfloat16: toBfloat16, float16: toFloat16 };
