// Makes an objection into a file, or a mail of the same words. Nothing is sent from here.
"use strict";

for (const box of document.querySelectorAll(".ask")) {
  const { heading = "" } = /** @type {HTMLElement} */ (box).dataset;
  const [words, save, mail] =
    /** @type {[HTMLTextAreaElement, HTMLButtonElement, HTMLAnchorElement]} */ (
      ["textarea", "button", "a"].map((name) => box.querySelector(name))
    );
  const text = () => `${heading}\n\n${words.value.trim()}\n`;
  const asked = () => {
    words.setAttribute("aria-invalid", String(!words.value.trim()));
    if (!words.value.trim()) words.focus();
    return Boolean(words.value.trim());
  };
  save.addEventListener("click", () => {
    if (!asked()) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text()], { type: "text/plain" }));
    link.download = `objection-${heading.trim().slice(-8)}.txt`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  });
  mail.addEventListener("click", (event) => {
    if (!asked()) event.preventDefault();
    mail.href = `mailto:?subject=Objection&body=${encodeURIComponent(text())}`;
  });
}
