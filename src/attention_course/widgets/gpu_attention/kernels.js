// Attention in WGSL, twice: in three passes, and in one fused kernel. What is shown is what runs.

/** Queries of a workgroup, and in the fused kernel keys of a block. */
export const TILE = 32;

/** @typedef {{d: number, causal: boolean}} Shape what a kernel is compiled for */
/** @typedef {"passes" | "fused"} Form */
/** @typedef {[entry: string, groups: (n: number, d: number, heads: number) => [number, number, number]]} Pass */

/** What both begin with. @param {Shape} shape */
const head = ({
  d,
  causal,
}) => `const D = ${d}u; const CAUSAL = ${causal}; const LOWEST = -1e30;
@group(0) @binding(0) var<uniform> n: u32;                // tokens
@group(0) @binding(1) var<storage, read> Q: array<f32>;   // heads, n, D
@group(0) @binding(2) var<storage, read> K: array<f32>;
@group(0) @binding(3) var<storage, read> V: array<f32>;
@group(0) @binding(4) var<storage, read_write> O: array<f32>;
`;

const PASSES = `@group(0) @binding(5) var<storage, read_write> W: array<f32>;  // heads, n, n
const T = ${TILE}u; const R = T / 4u; const P = T + 1u;
var<workgroup> a: array<f32, T * T>;                      // T queries; T numbers of each
var<workgroup> b: array<f32, D * P>;                      // D columns; T numbers of each
var<workgroup> part: array<f32, 64>;
fn add(sums: ptr<function, array<f32, R>>, by: vec3u) {   // R queries, one column
  workgroupBarrier();
  for (var c = 0u; c < T; c++) {
    let y = b[by.x * P + c];
    for (var r = 0u; r < R; r++) { (*sums)[r] += a[(by.y * R + r) * T + c] * y; }
  }
  workgroupBarrier();
}
@compute @workgroup_size(D, 4)
fn scores(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) by: vec3u) {
  let q = at.z * n + at.y * T; let k = at.z * n + at.x * D; let t = by.y * D + by.x;
  if (CAUSAL && at.x * D >= (at.y + 1u) * T) { return; }  // behind the last query
  var s: array<f32, R>;
  for (var e = 0u; e < D; e += T) {
    for (var c = t; c < T * T; c += 4u * D) { a[c] = Q[(q + c / T) * D + e + c % T]; }
    for (var c = t; c < D * T; c += 4u * D) { b[c / T * P + c % T] = K[(k + c / T) * D + e + c % T]; }
    add(&s, by);
  }
  for (var r = 0u; r < R; r++) {
    let i = at.y * T + by.y * R + r; let j = at.x * D + by.x;
    if (i < n && j < select(n, i + 1u, CAUSAL)) { W[(at.z * n + i) * n + j] = s[r] / sqrt(f32(D)); }
  }
}
@compute @workgroup_size(64)
fn softmax(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  let row = (at.y * n + at.x) * n; let seen = select(n, at.x + 1u, CAUSAL); var m = LOWEST;
  for (var j = t; j < seen; j += 64u) { m = max(m, W[row + j]); }
  part[t] = m; workgroupBarrier();
  for (var j = 0u; j < 64u; j++) { m = max(m, part[j]); }
  workgroupBarrier();
  var l = 0.0;
  for (var j = t; j < seen; j += 64u) { let p = exp(W[row + j] - m); W[row + j] = p; l += p; }
  part[t] = l; workgroupBarrier(); l = 0.0;
  for (var j = 0u; j < 64u; j++) { l += part[j]; }
  for (var j = t; j < seen; j += 64u) { W[row + j] /= l; }
}
@compute @workgroup_size(D, 4)
fn mix(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) by: vec3u) {
  let w = at.z * n + at.y * T; let v = at.z * n; let t = by.y * D + by.x;
  var o: array<f32, R>;
  for (var e = 0u; e < select(n, min(n, (at.y + 1u) * T), CAUSAL); e += T) {
    for (var c = t; c < T * T; c += 4u * D) {
      let seen = select(n, at.y * T + c / T + 1u, CAUSAL);
      a[c] = select(0.0, W[(w + c / T) * n + e + c % T], e + c % T < seen);
    }
    for (var c = t; c < T * D; c += 4u * D) { b[c % D * P + c / D] = V[(v + e) * D + c]; }
    add(&o, by);
  }
  for (var r = 0u; r < R; r++) {
    let i = by.y * R + r;
    if (at.y * T + i < n) { O[(w + i) * D + by.x] = o[r]; }
  }
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

const each = (/** @type {number} */ count, /** @type {number} */ size) =>
  Math.ceil(count / size);

/** The entry points of each form, in their order, and how many workgroups each is given. @type {Record<Form, Pass[]>} */
export const PLAN = {
  passes: [
    ["scores", (n, d, heads) => [each(n, d), each(n, TILE), heads]],
    ["softmax", (n, _, heads) => [n, heads, 1]],
    ["mix", (n, _, heads) => [1, each(n, TILE), heads]],
  ],
  fused: [["fused", (n, _, heads) => [each(n, TILE), heads, 1]]],
};

/** @type {Form[]} */
export const FORMS = ["passes", "fused"];
/** @type {Record<Form, string>} */
export const NAMES = { passes: "three passes", fused: "one fused kernel" };
