// The draws of NumPy, so that Python and the browser see the same numbers.

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
