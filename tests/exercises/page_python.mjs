// The page's Python without a page: the same bytes, started as site/static/python.js starts them.
// Arguments: a folder with the files that a page is served, and one to unpack them into. On each
// line of standard input, a slug and a source; on each of standard output, what the page would
// say, whether the source came to its end, and the seconds.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const [served, into] = process.argv.slice(2).map((folder) => resolve(folder));
mkdirSync(into, { recursive: true });
const bytesOf = (name) => new Uint8Array(readFileSync(join(served, name)));
const names = readdirSync(served);
for (const name of names) {
  const unpacked = name.endsWith(".gz") ? gunzipSync(bytesOf(name)) : bytesOf(name);
  writeFileSync(join(into, name.replace(/\.gz$/, "")), unpacked);
}
const { loadPyodide } = createRequire(import.meta.url)(join(into, "pyodide.js"));
const python = await loadPyodide({ indexURL: `${into}/` });
python.unpackArchive(bytesOf(names.find((name) => name.endsWith(".whl"))), "whl");
python.unpackArchive(bytesOf("course.zip"), "zip", { extractDir: "/course" });
python.runPython(`
import sys
sys.path.insert(0, "/course")
from attention_course.exercises.in_page import run`);
const run = python.globals.get("run");
for await (const line of createInterface({ input: process.stdin })) {
  const [slug, source] = JSON.parse(line);
  const began = performance.now();
  let text = "";
  const whole = run(source, slug, true, (more) => (text += more));
  console.log(JSON.stringify([text, whole, (performance.now() - began) / 1000]));
}
