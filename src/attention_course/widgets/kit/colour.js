// Colours: shades of the maps for weights and for signed quantities.

/** @typedef {[number, number, number]} Rgb */

/** "#rrggbb" to three numbers. @param {string} hex @returns {Rgb} */
export function parseHex(hex) {
  const n = Number.parseInt(hex.replace("#", ""), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

/** Between two colours, t from 0 to 1. @param {Rgb} a @param {Rgb} b @param {number} t @returns {Rgb} */
export function mix(a, b, t) {
  const u = Math.min(1, Math.max(0, t));
  return [a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u, a[2] + (b[2] - a[2]) * u];
}

/** CSS text of a colour. @param {Rgb} rgb */
export function css(rgb) {
  return `rgb(${rgb.map(Math.round).join(" ")})`;
}

/**
 * The colours of a map, to look shades up in: "seq" for weights, "div" for signed quantities.
 * @param {(name: string) => string} colour
 * @param {"seq" | "div"} map
 * @returns {Rgb[]}
 */
export function mapColours(colour, map) {
  return Array.from({ length: map === "seq" ? 6 : 7 }, (_, i) =>
    parseHex(colour(`${map}-${i}`)),
  );
}

/** A shade of a map; t from 0 to 1. @param {Rgb[]} colours @param {number} t @returns {Rgb} */
export function shade(colours, t) {
  const place = Math.min(1, Math.max(0, t)) * (colours.length - 1);
  const low = Math.min(colours.length - 2, Math.floor(place));
  return mix(colours[low], colours[low + 1], place - low);
}
