// The trained weights as `pack_heads` writes them, for the tests.
import { readFileSync } from "node:fs";

const file = readFileSync(
  new URL("../../../data/checkpoints/heads/covered_letters.safetensors", import.meta.url),
);
const start = 8 + Number(file.readBigUInt64LE());
const header = JSON.parse(file.subarray(8, start).toString());
const names = Object.keys(header)
  .filter((name) => name.startsWith("1."))
  .map((name) => name.slice(2))
  .sort();
const bytes = (name) => file.subarray(...header[name].data_offsets.map((at) => start + at));
const packed = (heads) =>
  Buffer.concat(names.map((name) => bytes(`${heads}.${name}`))).toString("base64");

export const given = {
  models: {
    layout: names.map((name) => [name, ...header[`1.${name}`].shape]),
    weights: Object.fromEntries([1, 2, 4, 8].map((heads) => [heads, packed(heads)])),
  },
};
