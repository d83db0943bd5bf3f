// The fused row, written and checked in the page, on the reader's own GPU.
import { buttonControl } from "../kit/controls.js";
import { freshId, tag } from "../kit/elements.js";
import { keep, kept } from "../kit/kept.js";
import { createShell } from "../kit/shell.js";
import { openGpu } from "../gpu_attention/gpu.js";
import { why } from "../gpu_attention/words.js";
import { examine, inWords } from "./judge.js";
import { SOLUTION } from "./row.js";

const NAME = "fused-row"; // of what the reader wrote here before

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Write the fused row", controls: "above" });
  shell.root.classList.add("ac-row");
  const id = freshId("row");
  const editor = tag("textarea.ac-row-editor", {
    id,
    tabindex: 0,
    role: "textbox",
    "aria-multiline": "true",
    rows: 19,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
  });
  const solution = tag(
    "details.ac-row-fold",
    tag("summary", "A solution"),
    tag("pre.ac-row-code", SOLUTION),
  );
  shell.controls.append(
    tag("div", tag("label.ac-label", { for: id }, "attend, in WGSL"), editor),
  );
  shell.readout.after(solution);

  let checked = ""; // the text that the verdict is about
  let verdict = "";
  let busy = false;
  /** @type {import("../gpu_attention/gpu.js").Gpu | null} */
  let gpu = null;
  const check = buttonControl("Check", async () => {
    if (busy) return;
    busy = true;
    shell.picture.setAttribute("aria-busy", "true");
    [checked, verdict] = [shell.get("code"), "Compiling and running it …"];
    shell.refresh();
    try {
      gpu = await openGpu();
      verdict = inWords(await examine(gpu, checked), checked.split("\n").length);
    } catch (problem) {
      verdict = why(problem);
    }
    gpu?.end();
    gpu = null;
    busy = false;
    shell.refresh();
  });
  check.classList.add("ac-row-check");
  shell.buttons.firstElementChild?.addEventListener("click", () => {
    checked = ""; // Reset begins anew
    solution.open = false;
    shell.refresh();
  });
  shell.buttons.prepend(check);
  editor.addEventListener("input", () => {
    shell.set({ code: editor.value });
    keep(NAME, editor.value);
  });

  const before = kept(NAME);
  if (
    before &&
    before.length <= shell.limits.code.most &&
    shell.get("code") === model.get("initial").code
  )
    shell.set({ code: before });
  shell.show(() => {
    const { code } = shell.state();
    if (editor.value !== code) editor.value = code;
    if (code === model.get("initial").code) keep(NAME, null);
    shell.picture.setAttribute("aria-busy", String(busy));
    const same = code === checked;
    shell.say(
      checked === ""
        ? "Not checked yet."
        : same || busy
          ? verdict
          : "Changed since the last check.",
    );
  });
  shell.onDestroy(() => gpu?.end());
  return shell.destroy;
}

export default { render };
