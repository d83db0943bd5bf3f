// The page's Python without a page: the same bytes, started in the order of site/static/python.js.
//
// Arguments: a folder with the files that a page is served, and one to unpack them into. On each
// line of standard input there is a slug and a source, and on each of standard output what the
// page says, whether the source came to its end, and which line of the input it answers.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const [served, into] = process.argv.slice(2);
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
from attention_course.exercises.in_page import run
from attention_course.exercises.in_page_cells import run_cells`);

const run = python.globals.get("run");
let asked = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [slug, source] = JSON.parse(line);
  let text = "";
  const whole = run(source, slug, true, (more) => (text += more));
  console.log(JSON.stringify([text, whole, ++asked]));
}
