// A chart: a title that states the point, the picture, a read-out for pointer and keyboard,
// and the same numbers as a table. `drawChart` is all that a widget needs.
import { drawPicture } from "./draw.js";
import { clamp, gridOf, guessWidth, layoutChart } from "./layout.js";
import { paint, swatch } from "./marks.js";
import { chartTable, nearestStop, readAt, readCell, sayAt, stops } from "./read.js";
import { tag, svg } from "../kit/elements.js";

/**
 * @typedef {import("./layout.js").Chart} Chart
 * @typedef {ReturnType<typeof layoutChart>} Layout
 * @typedef {{at?: number, row?: number, column?: number}} Place
 */

/** Text that is only written when it changed. @param {Element} element @param {string} text */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Do two charts differ in their numbers alone? Axes are the same if they are one object. @param {Chart} a @param {Chart} b */
function onSameAxes(a, b) {
  const alike = (/** @type {import("./layout.js").Series} */ s, /** @type {number} */ i) =>
    ["kind", "name", "label", "outline", "dash"].every(
      (part) => /** @type {any} */ (s)[part] === /** @type {any} */ (b.series[i])[part],
    ) &&
    (s === b.series[i] || !(s.label && s.kind === "line")) &&
    paint(s.colour) === paint(b.series[i].colour);
  return (
    a.x === b.x &&
    a.y === b.y &&
    a.height === b.height &&
    a.series.length === b.series.length &&
    a.series.every(alike)
  );
}

/** The numbers of a chart as a table. @param {Chart} chart */
function drawTable(chart) {
  const { head, rows } = chartTable(chart);
  const table = tag("table.ac-chart-table");
  const line = (/** @type {string[]} */ texts, /** @type {boolean} */ top) => {
    const row = tag("tr");
    texts.forEach((text, i) => {
      const scope = top ? "col" : "row";
      row.append(top || i === 0 ? tag("th", { scope }, text) : tag("td", text));
    });
    return row;
  };
  table.append(tag("thead", line(head, true)));
  table.append(tag("tbody", ...rows.map((row) => line(row, false))));
  return table;
}

/** Text widths as the browser sees them. @param {HTMLElement} near @returns {typeof guessWidth} */
function measureIn(near) {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return guessWidth;
  const family = getComputedStyle(near).fontFamily || "sans-serif";
  return (text, bold = false) => {
    pen.font = `${bold ? 600 : 400} 13px ${family}`;
    return pen.measureText(text).width;
  };
}

/** What the read-out shows at a place, and where to point. @param {Chart} chart @param {Layout} at @param {Place} place */
function readPlace(chart, at, place) {
  if (place.row !== undefined) {
    const cell = readCell(chart, place.row, place.column ?? 0);
    const [x, y] = [at.x(place.column ?? 0), at.y(place.row)];
    const [w, h] = [Math.abs(at.x(1) - at.x(0)), Math.abs(at.y(1) - at.y(0))];
    const mark = svg("rect", {
      class: "ac-chart-cell",
      x: x - w / 2,
      y: y - h / 2,
      width: w,
      height: h,
    });
    return {
      where: cell.where,
      rows: [{ series: -1, name: "", text: cell.text, span: "" }],
      x,
      y,
      reach: w / 2,
      mark,
    };
  }
  const read = readAt(chart, place.at ?? 0);
  const x = at.x(place.at ?? 0);
  const mark = svg("g", {});
  const named = chart.x.type === "category";
  const bin = chart.series.find((s) => s.ends);
  const end = bin?.ends?.[(bin.x ?? []).indexOf(place.at ?? 0)];
  const reach = named ? Math.abs(at.x(0.5) - at.x(0)) : 0;
  mark.append(
    end !== undefined
      ? svg("rect", {
          class: "ac-chart-place",
          x,
          y: at.plot.y,
          width: at.x(end) - x,
          height: at.plot.h,
        })
      : named
        ? svg("rect", {
            class: "ac-chart-place",
            x: x - reach,
            y: at.plot.y,
            width: 2 * reach,
            height: at.plot.h,
          })
        : svg("path", { class: "ac-chart-cursor", d: `M${x},${at.plot.y}v${at.plot.h}` }),
  );
  for (const row of read.rows) {
    if (chart.series[row.series].kind === "bar") continue;
    mark.append(
      svg("circle", {
        class: "ac-chart-point",
        cx: x,
        cy: at.y(row.y),
        r: 5,
        style: `stroke:${paint(chart.series[row.series].colour)}`,
      }),
    );
  }
  return { ...read, x, y: at.plot.y, reach, mark };
}

/**
 * Put a chart into `host` and keep it as wide as its place.
 * @param {HTMLElement} host
 * @returns {{update: (chart: Chart, name?: string) => void, destroy: () => void}}
 */
export function drawChart(host) {
  const figure = tag("figure.ac-chart");
  const title = tag("figcaption.ac-chart-title");
  const legend = tag("ul.ac-chart-legend");
  const area = tag("div.ac-chart-area", { tabindex: 0, role: "group" });
  const tip = tag("div.ac-chart-tip");
  const spoken = tag("p.ac-offscreen", { "aria-live": "polite" });
  const details = tag("details.ac-chart-data");
  details.append(tag("summary", "The numbers as a table"));
  figure.append(title, legend, area, spoken, details);
  host.append(figure);
  const measure = measureIn(figure);

  /** @type {Chart | null} */ let chart = null;
  /** @type {Layout | null} */ let at = null;
  /** @type {ReturnType<typeof drawPicture> | null} */ let drawn = null;
  /** @type {Element | null} */ let marked = null;
  /** @type {Place | null} */ let place = null;

  function hide() {
    place = null;
    marked?.remove();
    tip.remove();
  }

  /** @param {Place} next @param {boolean} speak */
  function show(next, speak) {
    if (!chart || !at) return;
    hide();
    place = next;
    const read = readPlace(chart, at, next);
    marked = read.mark;
    area.querySelector("svg")?.append(read.mark);
    tip.replaceChildren(tag("strong", read.where));
    for (const row of read.rows) {
      const line = tag("span.ac-chart-tip-row");
      if (row.series >= 0 && read.rows.length > 1)
        line.append(swatch(chart.series[row.series]));
      if (row.name && read.rows.length > 1) line.append(tag("span", row.name));
      line.append(tag("b", row.text), row.span);
      tip.append(line);
    }
    area.append(tip);
    const free = at.width - tip.offsetWidth - 4;
    const beside = read.reach + 12;
    const left = read.x + beside > free ? read.x - tip.offsetWidth - beside : read.x + beside;
    const low = next.row === undefined ? at.plot.y + 4 : read.y - tip.offsetHeight / 2;
    tip.style.transform = `translate(${clamp(left, 2, free)}px, ${Math.max(0, low)}px)`;
    if (speak) spoken.textContent = sayAt(chart, next);
  }

  function draw() {
    const width = Math.floor(area.clientWidth);
    if (!chart || width < 40) return;
    const kept = place;
    hide();
    at = layoutChart(chart, width, measure);
    drawn = drawPicture(chart, at);
    area.replaceChildren(drawn.picture);
    area.style.height = `${at.height}px`; // known, so that no change inside lays out the page
    legend.replaceChildren(
      ...at.legend.map((i) => {
        const item = tag("li");
        const one = /** @type {Chart} */ (chart).series[i];
        item.append(swatch(one), tag("span", one.name ?? ""));
        return item;
      }),
    );
    legend.hidden = at.legend.length === 0;
    if (kept) show(kept, false);
  }

  /** @param {PointerEvent} event */
  function point(event) {
    if (!chart || !at) return;
    const box = area.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const { plot } = at;
    if (px < plot.x - 12 || px > plot.x + plot.w + 12 || py > plot.y + plot.h + 30)
      return hide();
    if (at.heat) {
      const row = nearestStop([...(chart.y.categories ?? []).keys()], at.y, py);
      const column = nearestStop([...(chart.x.categories ?? []).keys()], at.x, px);
      return show({ row, column }, false);
    }
    const places = stops(chart);
    if (places.length) show({ at: places[nearestStop(places, at.x, px)] }, false);
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    if (!chart || !at) return;
    const next = nextPlace(chart, place, event.key);
    if (event.key === "Escape") hide();
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    show(next, true);
  }

  area.addEventListener("pointermove", point);
  // A finger moves no pointer before it touches.
  area.addEventListener("pointerdown", point);
  area.addEventListener("pointerleave", hide);
  area.addEventListener("blur", hide);
  area.addEventListener("keydown", move);
  const fill = () => {
    details.querySelector("div")?.remove();
    if (!details.open || !chart) return;
    const named = { tabindex: 0, role: "region", "aria-label": "The numbers as a table" };
    const frame = tag("div.ac-chart-frame", named, drawTable(chart));
    if (chart.note) frame.append(tag("p.ac-chart-note", chart.note));
    details.append(frame);
  };
  details.addEventListener("toggle", fill);
  // The DOM of the tests in Node has none.
  const watcher = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(draw);
  watcher?.observe(area);

  return {
    update(next, name = next.title) {
      const before = chart;
      chart = next;
      write(title, next.title ?? "");
      title.hidden = !next.title;
      if (next.plain) details.remove();
      const label = `Chart: ${name || "untitled"} The arrow keys read it.`;
      if (area.getAttribute("aria-label") !== label) area.setAttribute("aria-label", label);
      // Where only numbers changed, only what shows them is written: a frame has little time.
      if (before && at && drawn && onSameAxes(before, next)) {
        drawn.refresh(next);
        if (place) show(place, false);
      } else draw();
      if (details.open) fill();
    },
    destroy() {
      watcher?.disconnect();
      figure.remove();
    },
  };
}

/**
 * Where an arrow key leads: from stop to stop, or from cell to cell.
 * @param {Chart} chart @param {Place | null} place @param {string} key @returns {Place | null}
 */
export function nextPlace(chart, place, key) {
  /** @type {Record<string, [number, number]>} */
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const ends = key === "Home" || key === "End";
  const step = steps[key] ?? (ends ? [0, 0] : null);
  if (!step) return null;
  const heat = gridOf(chart) !== undefined;
  const columns = heat ? (chart.x.categories ?? []).length : stops(chart).length;
  if (!columns) return null;
  const places = heat ? [] : stops(chart);
  const now = place
    ? heat
      ? (place.column ?? 0)
      : places.indexOf(place.at ?? 0)
    : step[0] < 0
      ? columns
      : -1;
  if (!heat && step[1]) return null;
  const there =
    key === "Home" ? 0 : key === "End" ? columns - 1 : clamp(now + step[0], 0, columns - 1);
  if (!heat) return { at: places[there] };
  const rows = (chart.y.categories ?? []).length;
  const down = chart.y.reversed ? step[1] : -step[1];
  return { row: clamp((place?.row ?? 0) + (place ? down : 0), 0, rows - 1), column: there };
}
