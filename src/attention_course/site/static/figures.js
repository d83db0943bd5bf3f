/* Draws the plotly figures of a page: each when it comes near, in the colours of the theme.
 *
 * plotly itself (the local bundle named by this script's data-plotly) is fetched when the
 * first figure is about to be seen, so a page that is only skimmed does not pay for it. */
(() => {
  "use strict";
  const plotlyAddress = document.currentScript.dataset.plotly;
  const figures = [...document.querySelectorAll("figure.ac-figure")];
  const root = document.documentElement;
  const sources = new Map();
  let plotly;

  const isDark = () => root.dataset.theme === "dark";
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  /* "#1d3aa1 #6f8bed,..." in the style sheet, written by the build from the palette. */
  /** @type {Map<string, string>} */
  const swap = new Map();
  for (const pair of css("--ac-swap").replaceAll('"', "").split(",")) {
    const [before, after] = pair.trim().split(" ");
    swap.set(before, after);
  }

  /* The figure in the colours of the theme; d_k as mathematics has it. */
  function dress(value) {
    if (Array.isArray(value)) return value.map(dress);
    if (typeof value === "string") {
      if (value[0] !== "#") return value.replace(/\b([dW])_(\w)\b/g, "$1<sub>$2</sub>");
      const dark = isDark() && swap.get(value.slice(0, 7).toLowerCase());
      return dark ? dark + value.slice(7) : value;
    }
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, dress(v)]));
  }

  function loadPlotly() {
    plotly ??= new Promise((resolve, reject) => {
      // An AMD loader on the page would swallow the bundle, which is written for both.
      const define = window.define;
      window.define = undefined;
      const script = document.createElement("script");
      script.src = plotlyAddress;
      script.onload = () => {
        window.define = define;
        resolve(window.Plotly);
      };
      script.onerror = () => reject(new Error("the drawing library is missing"));
      document.head.append(script);
    });
    return plotly;
  }

  /* What the page decides, whatever the notebook said: size, font, background. */
  function fit(layout, place) {
    const width = place.clientWidth;
    const line = css("--ac-line");
    const axis = isDark() ? { gridcolor: line, zerolinecolor: line } : {};
    const font = { family: css("--ac-sans"), color: css("--ac-ink") };
    const fitted = {
      ...layout,
      autosize: true,
      width: undefined,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { ...layout.font, ...font },
      dragmode: false,
      hoverlabel: { bgcolor: css("--ac-raised"), bordercolor: line, font },
    };
    const size = Math.min(layout.font?.size ?? 14, width < 480 ? 12 : 14);
    fitted.font.size = size;
    for (const name of Object.keys(layout).concat("xaxis", "yaxis")) {
      if (!/^[xy]axis\d*$/.test(name)) continue;
      fitted[name] = { ...axis, ...layout[name] };
      // plotly enlarges powers of ten by a quarter; the other ticks are not.
      if (layout[name]?.type === "log" && !layout[name].ticktext) {
        fitted[name].tickfont = { size: size / 1.25 };
      }
    }
    if (layout.title?.text) {
      // The page sets the title above the picture; the room that was left for it goes.
      const room = 8 + 20 * layout.title.text.split("<br>").length;
      fitted.title = undefined;
      if (layout.margin?.t) {
        fitted.margin = { ...layout.margin, t: Math.max(12, layout.margin.t - room) };
        if (layout.height) fitted.height = layout.height - room;
      }
    }
    if (width < 480 && !place.closest(".slide")) nameAbove(fitted, width);
    // On a slide the figure takes what room there is.
    const room = parseFloat(getComputedStyle(place).getPropertyValue("--ac-plot-height"));
    if (room) fitted.height = room;
    return fitted;
  }

  const ABOVE = 1.02;
  const isEnd = ({ xref, x, yref }) => xref === "paper" && x === 1 && yref === "y";

  /* Where names at the ends of lines would take a third of a phone's width, they stand above. */
  function nameAbove(fitted, width) {
    const { annotations = [], margin } = fitted;
    if (!annotations.some(isEnd) || margin.r < width / 3) return;
    fitted.annotations = annotations.filter((one) => !isEnd(one));
    fitted.showlegend = true;
    fitted.legend = { orientation: "h", x: 0, y: ABOVE, yanchor: "bottom" };
    fitted.margin = { ...margin, r: 24 };
  }

  /* The names take no room from the lines. */
  const heightened = ({ height, yaxis }) => ({
    height: height + Math.max(0, 235 - yaxis._length),
  });

  function wrapped(text, room) {
    const lines = [""];
    for (const word of text.split(/<br>| /)) {
      if (lines.at(-1) && 7.5 * (lines.at(-1) + word).length > room) lines.push("");
      lines.push(`${lines.pop()} ${word}`.trim());
    }
    return lines.join("<br>");
  }

  /* On a slide a picture is lower and narrower than on the page: the names at the ends of its
   * lines move apart again, and other names take as many lines as they need. */
  function spaced({ _fullLayout: { xaxis, yaxis, annotations = [] } }) {
    const ends = [...annotations.entries()]
      .filter(([, one]) => isEnd(one))
      .map(([i, { y }]) => ({ i, at: yaxis._length - yaxis.l2p(y) }))
      .sort((a, b) => a.at - b.at);
    const places = ends.map(({ at }) => at);
    for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i], places[i - 1] + 17);
    let free = yaxis._length + 6;
    for (let i = places.length - 1; i >= 0; i--) {
      places[i] = Math.min(places[i], free);
      free = places[i] - 17;
    }
    const moved = ends.map(({ i, at }, n) => [`annotations[${i}].yshift`, places[n] - at]);
    const title = yaxis.title?.text;
    if (title) moved.push(["yaxis.title.text", wrapped(title, yaxis._length)]);
    const names = xaxis.type === "category" ? xaxis._categories : [];
    const room = xaxis._length / names.length - 12;
    if (names.some((name) => 7.5 * name.length > room)) {
      const each = names.map((name) => wrapped(name, room));
      moved.push(["xaxis.tickvals", names], ["xaxis.ticktext", each], ["xaxis.tickangle", 0]);
    }
    return Object.fromEntries(moved);
  }

  const channels = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

  /* plotly writes on the cells of a heat map in grey or white, which is faint on middle shades:
   * black or white reads better on each of them (WCAG 2.2, relative luminance). */
  function inkCells(place) {
    const maps = place._fullData.filter(({ type }) => type === "heatmap");
    for (const [at, map] of place.querySelectorAll(".heatmaplayer .hm").entries()) {
      const { colorscale, zmin, zmax } = maps[at];
      for (const label of map.querySelectorAll(".heatmap-label text")) {
        const share = Math.min(1, Math.max(0, (label.__data__.z - zmin) / (zmax - zmin)));
        const above = colorscale.findIndex(([from]) => from >= share);
        const end = Math.max(1, above);
        const [[from, low], [to, high]] = [colorscale[end - 1], colorscale[end]];
        const part = (share - from) / (to - from);
        const [start, stop] = [channels(low), channels(high)];
        const [red, green, blue] = start.map((c, i) => {
          const mixed = (c + part * (stop[i] - c)) / 255;
          return mixed <= 0.04045 ? mixed / 12.92 : ((mixed + 0.055) / 1.055) ** 2.4;
        });
        const dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
        label.style.fill = dark ? "#fff" : "#000";
      }
    }
  }

  function paint(figure, library) {
    if (!sources.has(figure)) {
      sources.set(figure, JSON.parse(figure.querySelector("script").textContent));
    }
    const place = figure.querySelector(".ac-plot");
    const { data, layout } = dress(sources.get(figure));
    const still = { responsive: true, displayModeBar: false, scrollZoom: false };
    const config = { ...still, doubleClick: "reset", showTips: false };
    const done = library.react(place, data, fit(layout ?? {}, place), config);
    if (figure.dataset.acState === "drawn") library.Plots.resize(place);
    const { legend, yaxis } = place._fullLayout;
    if (figure.closest(".slide") && yaxis) library.relayout(place, spaced(place));
    else if (legend?.y === ABOVE) library.relayout(place, heightened(place._fullLayout));
    if (figure.dataset.acState !== "drawn") {
      place.on("plotly_afterplot", () => inkCells(place));
      done.then(() => inkCells(place));
    }
    // Everything inside is the picture; its words are the label and the table below it.
    place.firstElementChild?.setAttribute("aria-hidden", "true");
    figure.dataset.acState = "drawn";
    return done;
  }

  async function draw(figure) {
    try {
      await paint(figure, await loadPlotly());
    } catch (error) {
      figure.dataset.acState = "failed";
      figure.querySelector(".ac-plot").hidden = true;
      const details = figure.querySelector("details");
      details.open = true;
      details.dataset.problem = `Not drawn: ${error.message}. The numbers are here instead.`;
    }
  }

  /* Paper is white and does not wait: draw at once, in light colours, or show the table. */
  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
    for (const figure of figures) {
      if (window.Plotly) paint(figure, window.Plotly);
      else figure.querySelector("details").open = true;
    }
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = before;
    if (!window.Plotly) figures.forEach((f) => (f.querySelector("details").open = false));
  });

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "400px 0px" },
  );
  figures.forEach((figure) => near.observe(figure));
  const seen = (figure) => figure.clientWidth > 0;
  new MutationObserver(() => [...sources.keys()].filter(seen).forEach(draw)).observe(root, {
    attributeFilter: ["data-theme"],
  });
  addEventListener("ac-resize", ({ target }) => {
    const figure = target.closest("figure");
    if (sources.has(figure)) draw(figure);
  });
  /* In a closed fold neither the theme nor the width of the window reaches a figure. */
  const unfold = ({ target }) => {
    if (target.open) [...sources.keys()].filter((f) => target.contains(f)).forEach(draw);
  };
  addEventListener("toggle", unfold, true);
})();
