// What the page takes of CodeMirror, as one script: see PROVENANCE.md.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

/* An editor for Python in `parent`; `changed` hears the text after each change. */
globalThis.acEditor = ({ parent, doc, label, describedBy, changed }) => new EditorView({
  parent,
  state: EditorState.create({
    doc,
    extensions: [
      lineNumbers(), highlightSpecialChars(), history(), drawSelection(), bracketMatching(),
      indentUnit.of("    "), EditorState.tabSize.of(4), python(),
      syntaxHighlighting(classHighlighter),
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy, tabindex: "0" }),
      EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
    ],
  }),
});
