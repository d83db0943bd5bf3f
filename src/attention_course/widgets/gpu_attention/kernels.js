// Attention in WGSL, twice: in three passes, and in one fused kernel. What is shown is what runs.

/** Queries of a workgroup of the fused kernel, and keys of a block. */
export const TILE = 32;

/** @typedef {{d: number, causal: boolean}} Shape what a kernel is compiled for */
/** @typedef {"passes" | "fused"} Form */
/** @typedef {[entry: string, groups: (n: number, d: number, heads: number) => [number, number, number]]} Pass */

/** What both begin with. @param {Shape} shape */
const head = ({ d, causal }) => `const D = ${d}u; const CAUSAL = ${causal}; const LOWEST = -1e30;
@group(0) @binding(0) var<uniform> n: u32;                // tokens
@group(0) @binding(1) var<storage, read> Q: array<f32>;   // heads, n, D
@group(0) @binding(2) var<storage, read> K: array<f32>;
@group(0) @binding(3) var<storage, read> V: array<f32>;
@group(0) @binding(4) var<storage, read_write> O: array<f32>;
`;

const PASSES = `@group(0) @binding(5) var<storage, read_write> W: array<f32>;  // heads, n, n
var<workgroup> part: array<f32, 64>;
@compute @workgroup_size(16, 16)
fn scores(@builtin(global_invocation_id) at: vec3u) {     // key, query, head
  if (at.x >= n || at.y >= n) { return; }
  let q = (at.z * n + at.y) * D; let k = (at.z * n + at.x) * D;
  var s = 0.0;
  for (var c = 0u; c < D; c++) { s += Q[q + c] * K[k + c]; }
  let hidden = CAUSAL && at.x > at.y;
  W[(at.z * n + at.y) * n + at.x] = select(s / sqrt(f32(D)), LOWEST, hidden);
}
@compute @workgroup_size(64)
fn softmax(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  let row = (at.y * n + at.x) * n;
  var m = LOWEST;
  for (var j = t; j < n; j += 64u) { m = max(m, W[row + j]); }
  part[t] = m; workgroupBarrier();
  for (var j = 0u; j < 64u; j++) { m = max(m, part[j]); }
  workgroupBarrier();
  var l = 0.0;
  for (var j = t; j < n; j += 64u) { let p = exp(W[row + j] - m); W[row + j] = p; l += p; }
  part[t] = l; workgroupBarrier(); l = 0.0;
  for (var j = 0u; j < 64u; j++) { l += part[j]; }
  for (var j = t; j < n; j += 64u) { W[row + j] /= l; }
}
@compute @workgroup_size(16, 16)
fn mix(@builtin(global_invocation_id) at: vec3u) {        // column, query, head
  if (at.x >= D || at.y >= n) { return; }
  let row = (at.z * n + at.y) * n; let v = at.z * n * D + at.x;
  var o = 0.0;
  for (var j = 0u; j < n; j++) { o += W[row + j] * V[v + j * D]; }
  O[(at.z * n + at.y) * D + at.x] = o;
}`;

const FUSED = `const T = ${TILE}u;   // queries of a workgroup, and keys of a block
var<workgroup> k: array<f32, T * D>; var<workgroup> v: array<f32, T * D>;
@compute @workgroup_size(T)
fn fused(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  let first = at.y * n * D;                               // of this head
  let i = at.x * T + t;                                   // this query
  let row = first + min(i, n - 1u) * D;
  var q: array<f32, D>; var acc: array<f32, D>;
  for (var c = 0u; c < D; c++) { q[c] = Q[row + c] / sqrt(f32(D)); }
  var m = LOWEST; var l = 0.0;
  let seen = select(n, min(n, (at.x + 1u) * T), CAUSAL);
  for (var b = 0u; b < seen; b += T) {
    let keys = min(T, n - b);
    for (var c = t; c < keys * D; c += T) {
      k[c] = K[first + b * D + c]; v[c] = V[first + b * D + c];
    }
    workgroupBarrier();
    for (var j = 0u; j < keys; j++) {
      if (CAUSAL && b + j > i) { break; }
      var s = 0.0;
      for (var c = 0u; c < D; c++) { s += q[c] * k[j * D + c]; }
      let top = max(m, s);
      let fade = exp(m - top); let p = exp(s - top);
      l = l * fade + p;
      for (var c = 0u; c < D; c++) { acc[c] = acc[c] * fade + p * v[j * D + c]; }
      m = top;
    }
    workgroupBarrier();
  }
  if (i >= n) { return; }
  for (var c = 0u; c < D; c++) { O[row + c] = acc[c] / l; }
}`;

/** The program of a form. @param {Form} form @param {Shape} shape */
export function program(form, shape) {
  return head(shape) + (form === "passes" ? PASSES : FUSED);
}

const each = (/** @type {number} */ count, /** @type {number} */ size) => Math.ceil(count / size);

/** The entry points of each form, in their order, and how many workgroups each is given. @type {Record<Form, Pass[]>} */
export const PLAN = {
  passes: [
    ["scores", (n, _, heads) => [each(n, 16), each(n, 16), heads]],
    ["softmax", (n, _, heads) => [n, heads, 1]],
    ["mix", (n, d, heads) => [each(d, 16), each(n, 16), heads]],
  ],
  fused: [["fused", (n, _, heads) => [each(n, TILE), heads, 1]]],
};

/** @type {Form[]} */
export const FORMS = ["passes", "fused"];
/** @type {Record<Form, string>} */
export const NAMES = { passes: "three passes", fused: "one fused kernel" };
