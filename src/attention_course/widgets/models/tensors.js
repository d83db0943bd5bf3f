// Trained weights as they travel: a safetensors file, whose numbers are halves, or whole numbers
// of eight bits with one scale for each row (attention_course.data.packed).

/** @typedef {{shape: number[], data: Float32Array}} Tensor a vector, or a matrix row by row */
/** @typedef {{tensors: Record<string, Tensor>, about: Record<string, string>}} Weights */

/** A number from its sixteen bits. @param {number} bits */
export function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  // Subnormal: the exponent is that of 1, without the leading bit.
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Kinds of numbers, read from a buffer of their own: inside the file they may lie at any byte. @type {Record<string, (own: ArrayBuffer) => ArrayLike<number>>} */
const READ = {
  I8: (own) => new Int8Array(own),
  F16: (own) => Float32Array.from(new Uint16Array(own), fromHalf),
  F32: (own) => new Float32Array(own),
};

/**
 * The tensors of a file by name, each number at its size, and the texts of its header.
 * @param {Uint8Array} file
 * @returns {Weights}
 */
export function readTensors(file) {
  // A safetensors file begins with the length of its header, eight bytes, little-endian.
  const start = 8 + Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const { __metadata__: about = {}, ...header } = JSON.parse(
    new TextDecoder().decode(file.subarray(8, start)),
  );
  const read = (/** @type {string} */ name) => {
    const { dtype, data_offsets } = header[name];
    return READ[dtype](
      new Uint8Array(file.subarray(start + data_offsets[0], start + data_offsets[1])).buffer,
    );
  };
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  for (const name of Object.keys(header).filter((one) => !one.endsWith(".scale"))) {
    const shape = header[name].shape;
    const numbers = read(name);
    const scale = header[`${name}.scale`] ? read(`${name}.scale`) : null;
    tensors[name] = {
      shape,
      data: scale ? scaled(numbers, scale, shape[1]) : Float32Array.from(numbers),
    };
  }
  return { tensors, about };
}

/** Each row times its scale. @param {ArrayLike<number>} numbers @param {ArrayLike<number>} scale @param {number} columns */
function scaled(numbers, scale, columns) {
  const data = new Float32Array(numbers.length);
  for (let r = 0, i = 0; r < scale.length; r++)
    for (let c = 0; c < columns; c++, i++) data[i] = numbers[i] * scale[r];
  return data;
}
