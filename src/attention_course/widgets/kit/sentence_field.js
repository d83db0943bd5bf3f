// A field for a sentence of the small world: completes words while one types, and says what is wrong.
//
//   const field = sentenceField({
//     label: "Your English sentence",
//     language: "english",
//     reader: () => reading(unpacked(JSON.parse(packed)), "english", 12),
//   });
//   shell.add(field, "sentence"); // told of sentences that can be read only, unless `any`
//   field.read(text)?.words; // as the grammar writes them; null where it is none
import { freshId, tag } from "./elements.js";

/** @typedef {Pick<ReturnType<typeof import("./reading.js").reading>, "read" | "complete">} Reading */

const PAUSE = 700; // before the number of words is said to who hears the page, in ms

/**
 * The list of words under the field: a row of chips, chosen by key, mouse or finger.
 * @param {HTMLInputElement} input @param {string} lang @param {(word: string) => void} choose
 */
function offersOf(input, lang, choose) {
  const element = tag("div.ac-offers", {
    id: freshId("offers"),
    role: "listbox",
    "aria-label": "Words that can stand here",
    lang,
    hidden: true,
  });
  const heard = tag("div.ac-offscreen", { "aria-live": "polite" });
  input.setAttribute("aria-controls", element.id);
  let [active, timer] = [-1, 0];
  /** @type {string[]} */
  let words = [];
  const mark = (/** @type {number} */ next) => {
    active = next;
    [...element.children].forEach((chip, n) =>
      chip.setAttribute("aria-selected", String(n === next)),
    );
    const chip = element.children[next];
    if (chip) {
      input.setAttribute("aria-activedescendant", chip.id);
      chip.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };
  /** @param {string[]} found */
  const show = (found) => {
    words = found;
    element.replaceChildren(
      ...words.map((word) =>
        tag(
          "button.ac-button.ac-offer",
          { type: "button", role: "option", id: freshId("offer"), tabindex: -1 },
          word,
        ),
      ),
    );
    element.hidden = !words.length;
    element.scrollLeft = 0;
    input.setAttribute("aria-expanded", String(!element.hidden));
    mark(-1);
    clearTimeout(timer);
    const said = words.length
      ? `${words.length} ${words.length > 1 ? "words" : "word"} can stand here; the down key chooses.`
      : "";
    timer = window.setTimeout(() => void (heard.textContent = said), PAUSE);
  };
  element.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  element.addEventListener("click", ({ target }) => {
    const place = [...element.children].indexOf(/** @type {Element} */ (target));
    if (place >= 0) choose(words[place]);
  });
  return {
    element,
    heard,
    show,
    open: () => !element.hidden,
    chosen: () => words[active],
    first: () => words[0],
    /** @param {number} by */
    move: (by) => mark(active < 0 && by < 0 ? words.length - 1 : (active + by) % words.length),
  };
}

/**
 * A field for one sentence. Nothing that is typed is taken away: what cannot be read stays, and
 * below it stands why, with words that would do as buttons.
 * @param {object} options
 * @param {string} options.label
 * @param {"english" | "french"} options.language
 * @param {() => Reading | null} options.reader called when it is needed, until it is there: null while it is on its way
 * @param {number} [options.characters] the most that are passed on
 * @param {string} [options.placeholder]
 * @param {string} [options.about] what stands below while nothing is wrong
 * @param {boolean} [options.any] tell of texts that cannot be read too, and of none
 */
export function sentenceField({
  label,
  language,
  reader,
  characters = 300,
  placeholder,
  about = "",
  any = false,
}) {
  /** @type {Reading | null} */
  let made = null;
  const reads = () => (made ??= reader());
  const [id, noteId] = [freshId("sentence"), freshId("note")];
  const lang = language === "french" ? "fr" : "en";
  const input = tag("input.ac-entry.ac-sentence", {
    type: "text",
    id,
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-describedby": noteId,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    lang,
    placeholder,
  });
  const note = tag("div.ac-hint", { id: noteId, "aria-live": "polite" }, about);
  const mend = tag("div.ac-mend");
  const offers = offersOf(input, lang, (word) => take(word));
  const element = tag(
    "div.ac-control.ac-sentence-control",
    tag("label.ac-label", { for: id }, label),
    input,
    tag("div.ac-below", offers.element, note, mend),
    offers.heard,
  );
  /** @type {((value: any) => void)[]} */
  const reactions = [];
  let told = "";

  const complete = (/** @type {number} */ at) =>
    reads()?.complete(input.value, at) ?? {
      start: at,
      end: at,
      typed: "",
      words: [],
      whole: true,
    };
  const read = (/** @type {string} */ text) => {
    if (text.length > characters)
      return {
        words: null,
        problem: `At most ${characters} characters can be read here, and these are ${text.length}.`,
        changes: [],
      };
    // What cannot be read yet is passed on.
    return reads()?.read(text) ?? { words: null, problem: "", changes: [] };
  };
  const close = () => offers.show([]);
  const suggest = () => {
    const at = input.selectionStart ?? input.value.length;
    offers.show(at === input.selectionEnd ? complete(at).words : []);
  };
  /** Puts a word where others stand, so that it can be undone as what is typed can. @param {number} start @param {number} end @param {string} word */
  const put = (start, end, word) => {
    const text = input.value;
    const mark = /^[.?]$/.test(word);
    const from = mark ? text.slice(0, start).trimEnd().length : start;
    const before = mark || from === 0 || /[\s'’(“"]$/.test(text.slice(0, from)) ? "" : " ";
    const behind = mark || word.endsWith("'") || /^\s/.test(text.slice(end)) ? "" : " ";
    const capital = /^\p{Lu}/u.test(text.slice(start, end));
    const said = capital ? word[0].toUpperCase() + word.slice(1) : word;
    const written = before + said + behind;
    // What is typed already stays, so that undoing leaves nothing selected.
    let same = 0;
    while (from + same < end && text[from + same] === written[same]) same++;
    input.focus();
    input.setSelectionRange(from + same, end);
    if (!document.execCommand("insertText", false, written.slice(same)))
      input.setRangeText(written.slice(same), from + same, end, "end");
    if (mark) commit();
    else suggest();
  };
  const take = (/** @type {string} */ word) => {
    const { start, end } = complete(input.selectionStart ?? input.value.length);
    put(start, end, word);
  };
  /** Says what is wrong, if something is, and what could be put in place of what. */
  const say = () => {
    const text = input.value;
    const { problem, changes } =
      any && !text.trim() ? { problem: "", changes: [] } : read(text);
    note.textContent = problem || about;
    if (problem) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    const possible = changes.filter(({ words }) => words.length);
    mend.replaceChildren(
      ...possible.map(({ start, end, words }) => {
        const old = text.slice(start, end).trim();
        const buttons = words.map((word) => {
          const button = tag(
            "button.ac-button.ac-offer",
            {
              type: "button",
              lang,
              "aria-label": old ? `${word} in place of ${old}` : `go on with ${word}`,
            },
            word,
          );
          button.addEventListener("mousedown", (event) => event.preventDefault());
          button.addEventListener("click", () => {
            put(start, end, word);
            commit();
          });
          return button;
        });
        return tag("div.ac-mend-row", ...(possible.length > 1 ? [`${old}:`] : []), ...buttons);
      }),
    );
    return !problem;
  };
  const commit = () => {
    close();
    const text = input.value.trim();
    if (!(say() || any) || text === told || text.length > characters) return;
    told = text;
    for (const react of reactions) react(text);
  };

  input.addEventListener("input", () => {
    if (mend.childElementCount) say(); // what was wrong may be mended
    suggest();
  });
  input.addEventListener("click", suggest);
  input.addEventListener("focus", () => {
    if (!input.value) suggest();
  });
  input.addEventListener("blur", commit);
  input.addEventListener("keyup", ({ key }) => {
    if (/^(ArrowLeft|ArrowRight|Home|End)$/.test(key) && offers.open()) suggest();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const { key } = event;
    const { typed, whole } =
      key === "Tab" ? complete(input.selectionStart ?? 0) : { typed: "", whole: true };
    const word =
      key === "Enter" || key === "Tab"
        ? (offers.chosen() ?? (typed && !whole && !event.shiftKey ? offers.first() : undefined))
        : undefined;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (offers.open()) offers.move(key === "ArrowDown" ? 1 : -1);
      else suggest();
    } else if (offers.open() && key === "Escape") {
      event.stopPropagation();
      close();
    } else if (offers.open() && word !== undefined) take(word);
    else {
      if (key === "Enter") commit();
      return;
    }
    event.preventDefault();
  });
  return {
    element,
    input,
    note,
    read,
    say,
    /** Shows a sentence, and what is wrong with it. @param {any} value */
    set(value) {
      const text = String(value);
      if (text === told && text === input.value.trim()) return;
      input.value = told = text;
      close();
      if (text) say();
      else {
        note.textContent = about;
        mend.replaceChildren();
        input.removeAttribute("aria-invalid");
      }
    },
    onInput: (/** @type {(value: any) => void} */ react) => void reactions.push(react),
  };
}
