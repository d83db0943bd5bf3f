// Pure functions that every widget may use. They are the NumPy reference in JavaScript;
// tests/js compares them with fixtures made by it.

/** Weights from scores: the largest is subtracted first. @param {ArrayLike<number>} scores @returns {number[]} */
export function softmax(scores) {
  const all = Array.from(scores);
  const top = Math.max(...all);
  const exps = all.map((x) => Math.exp(x - (top === -Infinity ? 0 : top)));
  const total = exps.reduce((a, b) => a + b, 0);
  return exps.map((x) => x / (total || 1));
}

/** J_ij = p_i (delta_ij - p_j). @param {ArrayLike<number>} p @returns {number[][]} */
export function softmaxJacobian(p) {
  const all = Array.from(p);
  return all.map((a, i) => all.map((b, j) => (i === j ? a * (1 - a) : -a * b)));
}

/**
 * Frobenius norm of the softmax Jacobian, from sums of positive terms only: expanded into
 * differences it loses everything below 1e-8.
 * @param {ArrayLike<number>} p
 * @returns {number}
 */
export function jacobianNorm(p) {
  let [total, before] = [0, 0];
  for (let j = 0; j < p.length; j++) {
    const square = p[j] * p[j];
    total += square * (1 - p[j]) * (1 - p[j]) + 2 * square * before;
    before += square;
  }
  return Math.sqrt(total);
}

/** Entropy in nats; 0 log 0 = 0. @param {ArrayLike<number>} p @returns {number} */
export function entropy(p) {
  let h = 0;
  for (let i = 0; i < p.length; i++) if (p[i] !== 0) h -= p[i] * Math.log(p[i]);
  return h + 0; // no minus zero
}

/**
 * The q-quantile (0 to 1) with linear interpolation, as numpy.quantile. NaN if there is none.
 * @param {ArrayLike<number>} sorted ascending
 * @param {number} q
 */
export function quantile(sorted, q) {
  const place = q * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted.length ? sorted[low] + (place - low) * (sorted[high] - sorted[low]) : NaN;
}

/** numpy.random.RandomState(seed): the same uniform and normal draws. */
export class RandomState {
  /** @param {number} seed a whole number from 0 to 2**32 - 1 */
  constructor(seed) {
    if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
      throw new Error(`seed must be a whole number from 0 to 4294967295, got ${seed}`);
    }
    this.words = new Uint32Array(624);
    this.words[0] = seed;
    for (let i = 1; i < 624; i++) {
      const last = this.words[i - 1] ^ (this.words[i - 1] >>> 30);
      this.words[i] = Math.imul(1812433253, last) + i;
    }
    this.at = 624;
    this.spare = NaN;
  }

  /** Next 32 random bits (Mersenne twister). */
  bits() {
    const w = this.words;
    if (this.at === 624) {
      for (let i = 0; i < 624; i++) {
        const y = (w[i] & 0x80000000) | (w[i === 623 ? 0 : i + 1] & 0x7fffffff);
        w[i] = w[i < 227 ? i + 397 : i - 227] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      this.at = 0;
    }
    let y = w[this.at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** Uniform from 0 to 1, 53 bits. */
  uniform() {
    const high = this.bits() >>> 5;
    return (high * 67108864 + (this.bits() >>> 6)) / 9007199254740992;
  }

  /** Standard normal: the polar method, which gives two at a time. */
  normal() {
    if (this.spare === this.spare) {
      const kept = this.spare;
      this.spare = NaN;
      return kept;
    }
    let [x, y, r] = [0, 0, 0];
    do {
      x = 2 * this.uniform() - 1;
      y = 2 * this.uniform() - 1;
      r = x * x + y * y;
    } while (r >= 1 || r === 0);
    const f = Math.sqrt((-2 * Math.log(r)) / r);
    this.spare = f * x;
    return f * y;
  }

  /** Fill `out` from `start` to `end` with standard normals. @param {Float64Array} out */
  fill(out, start = 0, end = out.length) {
    for (let i = start; i < end; i++) out[i] = this.normal();
    return out;
  }
}

const MINUS = "\u2212";
const UP = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/**
 * A number for people: three significant digits, 2.1 × 10⁻⁵ outside 0.001 to 99999.
 * @param {number} x
 * @param {number} [digits] significant digits
 * @returns {string}
 */
export function formatNumber(x, digits = 3) {
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "infinite" : `${MINUS}infinite`;
  const size = Math.abs(x);
  if (size === 0) return "0";
  const text = size.toExponential(digits - 1).split("e");
  const exponent = Number(text[1]);
  const sign = x < 0 ? MINUS : "";
  if (exponent < -3 || exponent > 4) {
    const raised = [...String(exponent)].map((c) => UP[/** @type {keyof UP} */ (c)]).join("");
    return `${sign}${text[0].replace(/\.0+$/, "")} × 10${raised}`;
  }
  return sign + Number(`${text[0]}e${exponent}`).toFixed(Math.max(0, digits - 1 - exponent));
}
