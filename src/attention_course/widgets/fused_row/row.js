// The fused row in WGSL: what surrounds it, an answer, and the answers that have a name.

/** Width of a head in the small inputs. */
export const D = 8;

/** What an answer stands in: it reads through functions that count. @param {string} answer @param {boolean} causal */
export function around(answer, causal) {
  return `${before(causal)}${answer}
@compute @workgroup_size(32)
fn every_row(@builtin(global_invocation_id) at: vec3u) {
  if (at.x >= n) { return; }
  row = at.x;
  let context = attend(at.x);
  for (var c = 0u; c < D; c++) { O[row * D + c] = context[c]; }
  reads[row] = keys_read;
}`;
}

/** @param {boolean} causal */
const before = (causal) => `const D = ${D}u; const CAUSAL = ${causal};
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> Q: array<f32>;
@group(0) @binding(2) var<storage, read> K: array<f32>;
@group(0) @binding(3) var<storage, read> V: array<f32>;
@group(0) @binding(4) var<storage, read_write> O: array<f32>;
@group(0) @binding(5) var<storage, read_write> reads: array<u32>;
var<private> row: u32; var<private> keys_read: u32;
fn query(c: u32) -> f32 { return Q[row * D + c]; }
fn key(j: u32, c: u32) -> f32 { keys_read += 1u; return K[j * D + c]; }
fn value(j: u32, c: u32) -> f32 { return V[j * D + c]; }
`;

/** Lines of the program before the answer begins. */
export const LINES_BEFORE = before(false).split("\n").length - 1;

/** How the program is run. @type {Record<string, import("../gpu_attention/kernels.js").Pass[]>} */
export const PLAN = { row: [["every_row", (n) => [Math.ceil(n / 32), 1, 1]]] };

export const SOLUTION = `fn attend(i: u32) -> array<f32, D> {   // the context of query i
  var acc: array<f32, D>;              // weighted sum of the values so far
  var m = -1e30;                       // largest score so far
  var l = 0.0;                         // sum of the exponentials so far
  let seen = select(n, i + 1u, CAUSAL);
  for (var j = 0u; j < seen; j++) {
    var s = 0.0;
    for (var c = 0u; c < D; c++) { s += query(c) * key(j, c); }
    s /= sqrt(f32(D));
    let top = max(m, s);
    let fade = exp(m - top);
    let p = exp(s - top);
    l = l * fade + p;
    for (var c = 0u; c < D; c++) { acc[c] = acc[c] * fade + p * value(j, c); }
    m = top;
  }
  for (var c = 0u; c < D; c++) { acc[c] /= l; }
  return acc;
}`;

/** @typedef {{name: string, hint: string, changes: [find: string, replace: string][]}} Mistake */

/** Answers that are wrong in one way each: what was done, what to think of, and how the solution becomes it. @type {Mistake[]} */
export const MISTAKES = [
  {
    name: "nothing was added to the context",
    hint: "acc is full of zeros when it is returned.",
    changes: [["  return acc;\n", "  return array<f32, D>();\n"]],
  },
  {
    name: "the sum is not rescaled",
    hint: "The exponentials in it were made with the old largest score. By what factor are they wrong now?",
    changes: [["l = l * fade + p", "l = l + p"]],
  },
  {
    name: "the weighted values are not rescaled",
    hint: "The values were weighted with exponentials of the old largest score.",
    changes: [["acc[c] * fade + p", "acc[c] + p"]],
  },
  {
    name: "nothing is rescaled when the largest score grows",
    hint: "Two things remember the old largest score.",
    changes: [
      ["l = l * fade + p", "l = l + p"],
      ["acc[c] * fade + p", "acc[c] + p"],
    ],
  },
  {
    name: "the largest score is not carried to the next key",
    hint: "What does m hold when the next key comes?",
    changes: [["    m = top;\n", ""]],
  },
  {
    name: "each score is taken for the largest",
    hint: "Right as long as no score falls far: what happens to the factor then?",
    changes: [["max(m, s)", "s"]],
  },
  {
    name: "no largest score is subtracted",
    hint: "In float32 the exponential of 89 is infinite.",
    changes: [
      ["exp(m - top)", "1.0"],
      ["exp(s - top)", "exp(s)"],
    ],
  },
  {
    name: "the factor is upside down",
    hint: "When the largest score grows, do the old sums grow or shrink?",
    changes: [["exp(m - top)", "exp(top - m)"]],
  },
  {
    name: "the scores are not scaled",
    hint: "A score is a dot product divided by something that depends on D.",
    changes: [["    s /= sqrt(f32(D));\n", ""]],
  },
  {
    name: "the scores are divided by D",
    hint: "Think of the standard deviation of a sum of D products.",
    changes: [["sqrt(f32(D))", "f32(D)"]],
  },
  {
    name: "the context is not divided by the sum",
    hint: "The weights of a query add up to 1.",
    changes: [["  for (var c = 0u; c < D; c++) { acc[c] /= l; }\n", ""]],
  },
  {
    name: "the last key is left out",
    hint: "How many keys does a query see if n is 1?",
    changes: [["j < seen", "j + 1u < seen"]],
  },
  {
    name: "the first key is left out",
    hint: "Which key is the first?",
    changes: [["var j = 0u;", "var j = 1u;"]],
  },
  {
    name: "the mask is ignored",
    hint: "If CAUSAL, query i sees no later key.",
    changes: [["select(n, i + 1u, CAUSAL)", "n"]],
  },
  {
    name: "a causal query does not see its own key",
    hint: "Query 0 sees one key.",
    changes: [["i + 1u, CAUSAL", "i, CAUSAL"]],
  },
  {
    name: "the mask is inverted",
    hint: "Earlier keys may be seen, later ones not.",
    changes: [["var j = 0u; j < seen", "var j = select(0u, i, CAUSAL); j < n"]],
  },
];

/** The answer with a mistake in it. @param {Mistake} mistake */
export function mistaken({ changes }) {
  return changes.reduce((text, [find, replace]) => {
    if (text.split(find).length !== 2)
      throw new Error(`${find} must stand in the solution once`);
    return text.replace(find, () => replace);
  }, SOLUTION);
}
