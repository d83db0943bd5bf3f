"""Measure the frames of the saturation lab and of the player, in headless Chromium.

    python benchmarks/widget_frames.py [--check]

What is measured is the processor time of the page's main thread in each frame (script, layout,
painting, garbage), in milliseconds, from Chromium's own trace: other programs do not lengthen
it. *cpu slowed* is the same with the processor slowed four times, as on a phone. In the lab the
slider of d_k goes through all its stops, one a frame. In the player *written* is a long
sentence that is translated, uncut and then with each cut; *stepped* goes through its words one
by one, *looked at* chooses one after the other. *First word* is the time from the press of a
button until the first word of a new sentence is drawn, the trained models being there. With
``--check`` nothing is written, and the exit status says whether the 95th percentiles are at
most 8 and 33 ms and each first word is there within a second.
"""

import bisect
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from shared import ROOT, command_line

sys.path.insert(0, str(ROOT / "tools"))

from bare_page import bare_page
from headless import chromium

from attention_course.measure import record
from attention_course.site.assets import MODELS, SITE, write_models
from attention_course.site.widget_state import (
    compact,
    place_html,
    sources,
    state_script,
    write_sources,
)
from attention_course.widgets import SaturationLab, WorldPlayer
from attention_course.widgets.world_player.widget import SENTENCES

LIMITS, FIRST_WORD_MS, SLOWED = {"cpu_ms": 8, "cpu_slowed_ms": 33}, 1000, 4
LABS = {
    "16 keys": {"n_keys": 16},
    "32 keys": {"n_keys": 32},
    "32 keys, bfloat16": {"n_keys": 32, "number_format": "bfloat16", "scale": "sqrt_d_k"},
    "compact, 16 keys": {"compact": True},
}
CUTS = {
    "attention": [{"uniform": True}, {"backward": False}, {"forbidden": [3]}],
    "transformer_2": [{"uniform": True}, {"positions": False}, {"silent": [5]}],
}
_DRAG = """
async (rounds) => {
  const slider = document.querySelector("input[type=range]");
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step <= Number(slider.max); step++) {
      slider.value = round % 2 ? Number(slider.max) - step : step;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(done));
    }
  }
}
"""
_ACT = """
async ([given, what]) => {
  const place = document.querySelector(".ac-widget");
  const player = place.acModel;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const rest = async () => {
    do {
      for (let i = 0; i < 3; i++) await frame();
    } while (place.querySelector("[aria-busy=true]"));
  };
  const set = (state) => {
    for (const [name, value] of Object.entries(state)) player.set(name, value);
  };
  const none = { uniform: false, forbidden: [], backward: true, positions: true, silent: [] };
  const words = () => place.querySelectorAll("[data-target]").length;
  if (what === "first word") {
    set({ step: 0, sentence: given });
    await rest();
    const buttons = [...place.querySelectorAll("button")];
    const button = buttons.find((one) => one.textContent.startsWith("Next"));
    const pressed = performance.now();
    button.click();
    while (!words()) await frame();
    await frame();
    return performance.now() - pressed;
  }
  if (what === "written") {
    for (const cut of [{}, ...given]) {
      set({ ...none, ...cut, step: 60 });
      await rest();
    }
    set(none);
    return rest();
  }
  const name = what === "stepped" ? "step" : "chosen";
  const last = words();
  for (let round = 0; round < 4; round++) {
    for (let i = 1; i <= last; i++) {
      player.set(name, round % 2 ? last + 1 - i : i);
      await frame();
    }
  }
  set({ step: 60, chosen: 0 });
  await rest();
}
"""


def summarise(values: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and maximum."""
    p95 = sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]
    found = {"median": statistics.median(values), "p95": p95, "max": max(values)}
    return {name: round(value, 2) for name, value in found.items()}


def cpu_by_frame(events: list[dict[str, Any]]) -> list[float]:
    """Return the main thread's processor time in each frame, in milliseconds."""
    main = next(
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    )
    there = [event for event in events if (event["pid"], event["tid"]) == main]
    ends = sorted(event["ts"] for event in there if event["name"] == "Commit")
    spent = [0.0] * (len(ends) + 1)
    for event in there:
        if event["name"] == "RunTask" and "tdur" in event:
            spent[bisect.bisect_left(ends, event["ts"])] += event["tdur"] / 1000
    return spent[1:-1]


def player_page(folder: Path, model: str) -> str:
    """Write a page with a player and what it fetches; return its address."""
    player = WorldPlayer(model=model, models=tuple(CUTS))
    names = [*player._state, "models", "key", "initial"]
    own = {n: getattr(player, n) for n in names} | {"fallback": "still"}
    stored = {"p": {"state": own | WorldPlayer.fixed()}}
    shutil.copy(SITE / "static" / "widget-host.js", folder)
    write_sources(folder / "widgets", sources(stored))
    write_models(folder / "models", MODELS["world-player"])
    file = folder / f"{model}.html"
    file.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A player</title><body>'
        f"{place_html('p', stored)}{state_script(compact(stored))}"
        '<script src="widget-host.js"></script></body></html>',
        "utf-8",
    )
    return file.as_uri()


def opened(browser: Any, address: str) -> Any:
    """Open a page and wait until its widget says something."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(address)
    page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
    return page


def measure(browser: Any, page: Any, acts: dict[str, tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return the times of each act's frames, at full speed and slowed."""
    rows: dict[str, dict[str, Any]] = {what: {"what": what} for what in acts}
    traced = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
    session = page.context.new_cdp_session(page)
    for column, slower in zip(LIMITS, (1, SLOWED), strict=True):
        session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        for what, (script, given) in acts.items():
            if what == "first word":
                times = [page.evaluate(script, [text, what]) for text, _ in SENTENCES]
            else:
                browser.start_tracing(page=page, categories=traced)
                page.evaluate(script, given)
                times = cpu_by_frame(json.loads(browser.stop_tracing())["traceEvents"])
            rows[what][column] = summarise(times)
    page.close()
    return list(rows.values())


def main() -> None:
    """Measure all; record it or check it."""
    parser = command_line(__doc__, quick="")
    parser.add_argument("--check", action="store_true")
    arguments, rows = parser.parse_args(), []
    with chromium() as browser, tempfile.TemporaryDirectory() as place:
        version, folder = browser.version, Path(place)
        for name, state in LABS.items():
            file = folder / "lab.html"
            file.write_text(bare_page(SaturationLab(**state)), encoding="utf-8")
            page = opened(browser, file.as_uri())
            page.wait_for_timeout(1500)  # the curve against d_k is computed meanwhile
            page.evaluate(_DRAG, 1)
            rows += measure(browser, page, {f"lab, {name}": (_DRAG, 6)})
        for model, cuts in CUTS.items():
            page = opened(browser, player_page(folder, model))
            page.get_by_role("button", name="To the end").click()
            page.locator("[data-target]").first.wait_for()
            acts = ("first word", "written", "stepped", "looked at")
            found = measure(browser, page, {what: (_ACT, [cuts, what]) for what in acts})
            rows += [{"model": model, **row} for row in found]
    late = False
    for row in rows:
        first = row["what"] == "first word"
        for column, limit in LIMITS.items():
            worst, most = (
                row[column]["max" if first else "p95"],
                FIRST_WORD_MS if first else limit,
            )
            late |= worst > most
            said = f"{row.get('model', ''):14}{row['what']:24}{column:14}"
            print(f"{said}{worst:7.2f} of {most} ms")
    if arguments.check:
        sys.exit(int(late))
    record(
        ROOT / "benchmarks/results/widget_frames.json",
        {"limits_ms": LIMITS, "first_word_ms": FIRST_WORD_MS, "rows": rows},
        script="benchmarks/widget_frames.py",
        load=round(os.getloadavg()[0], 1),
        browser=f"Chromium {version}, headless, no GPU",
    )


if __name__ == "__main__":
    main()
