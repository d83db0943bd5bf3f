// Light or dark, as the page around the widget is.

/** What the page says, else what the reader's system prefers. @returns {"light" | "dark"} */
export function currentTheme() {
  const [html, body] = [document.documentElement, document.body];
  const said =
    html.dataset.theme ?? // the site
    html.getAttribute("theme") ?? // Colab
    body?.dataset.vscodeThemeKind ?? // VS Code
    { true: "light", false: "dark" }[body?.dataset.jpThemeLight ?? ""]; // JupyterLab
  if (said) return said.includes("dark") || said === "vscode-high-contrast" ? "dark" : "light";
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Keep `root` in the page's theme. Returns what stops it. @param {HTMLElement} root @param {(theme: "light" | "dark") => void} react */
export function watchTheme(root, react) {
  const look = () => {
    const theme = currentTheme();
    if (root.dataset.acTheme === theme) return;
    root.dataset.acTheme = theme;
    react(theme);
  };
  look();
  const seen = new MutationObserver(look);
  const attributeFilter = [
    "data-theme",
    "theme",
    "data-vscode-theme-kind",
    "data-jp-theme-light",
  ];
  for (const place of [document.documentElement, document.body])
    seen.observe(place, { attributes: true, attributeFilter });
  const media = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  media?.addEventListener("change", look);
  return () => {
    seen.disconnect();
    media?.removeEventListener("change", look);
  };
}
