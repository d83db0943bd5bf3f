"""Measure the saturation lab's frames while a slider moves, in headless Chromium.

    python benchmarks/lab_frames.py [--check]

Steps the slider of d_k through all its stops, up and down, one stop a frame: more than a hand
can do. In milliseconds a frame: *cpu* is the processor time of the page's main thread (script,
layout, painting, garbage) from Chromium's own trace, which other programs do not lengthen;
*script* is computing and drawing by the clock, *frame* goes on until what changed is painted,
*between frames* is what the screen shows (16.7 at 60 a second). *cpu slowed* is the same with
the processor slowed four times by Chromium, as on a phone. With ``--check`` nothing is written
and the exit status says whether the 95th percentiles are at most 8 and 33 ms.
"""

import argparse
import bisect
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from bare_page import bare_page  # noqa: E402  (it lies in tools)
from headless import chromium  # noqa: E402

from attention_course.measure import record  # noqa: E402
from attention_course.widgets import SaturationLab  # noqa: E402

LIMIT_MS, LIMIT_SLOWED_MS, SLOWED = 8.0, 33.0, 4
_TRACED = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
SETTINGS = [
    {"name": "16 keys", "n_keys": 16},
    {"name": "32 keys", "n_keys": 32},
    {
        "name": "32 keys, bfloat16, scaled",
        "n_keys": 32,
        "number_format": "bfloat16",
        "scale": "sqrt_d_k",
    },
    {"name": "compact, 16 keys", "compact": True},
]

# Every function that the widget gives to requestAnimationFrame is timed. A message posted in
# it is delivered when the browser is done with the frame.
_DRAG = """
async (rounds) => {
  const slider = document.querySelector("input[type=range]");
  const [script, work, frames, real] = [[], [], [], window.requestAnimationFrame];
  const channel = new MessageChannel();
  let started = 0;
  channel.port1.onmessage = () => work.push(performance.now() - started);
  window.requestAnimationFrame = (react) => real((now) => {
    started = performance.now();
    channel.port2.postMessage(0);
    react(now);
    script.push(performance.now() - started);
  });
  const wait = () => new Promise((done) => real(done));
  let last = await wait();
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step <= Number(slider.max); step++) {
      slider.value = round % 2 ? Number(slider.max) - step : step;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const now = await wait();
      frames.push(now - last);
      last = now;
    }
  }
  window.requestAnimationFrame = real;
  channel.port1.close();
  return { script, work, frames: frames.slice(2) };
}
"""


def percentile(values: list[float], share: float) -> float:
    """Return the value below which ``share`` of the values lie."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def summarise(values: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and maximum, in milliseconds."""
    return {
        "median": round(statistics.median(values), 2),
        "p95": round(percentile(values, 0.95), 2),
        "max": round(max(values), 2),
    }


def cpu_by_frame(events: list[dict]) -> list[float]:
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


def traced(browser, page, rounds: int) -> list[float]:
    """Return the processor time of each frame of a drag."""
    browser.start_tracing(page=page, categories=_TRACED)
    page.evaluate(_DRAG, rounds)
    return cpu_by_frame(json.loads(browser.stop_tracing())["traceEvents"])


def measure(browser, setting: dict, rounds: int) -> dict:
    """Drag once through one setting and return its times."""
    lab = SaturationLab(**{k: v for k, v in setting.items() if k != "name"})
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lab.html"
        file.write_text(bare_page(lab), encoding="utf-8")
        page.goto(file.as_uri())
        page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
        ready = page.evaluate("performance.now() - window.started")
        page.wait_for_timeout(1500)  # the curve against d_k is computed meanwhile
        page.evaluate(_DRAG, 1)
        times = page.evaluate(_DRAG, rounds)
        cpu = traced(browser, page, rounds)
        page.context.new_cdp_session(page).send(
            "Emulation.setCPUThrottlingRate", {"rate": SLOWED}
        )
        slowed = traced(browser, page, rounds)
    page.close()
    return {
        "setting": setting["name"],
        "updates": len(times["script"]),
        "ready_ms": round(ready, 1),
        "script_ms": summarise(times["script"]),
        "frame_ms": summarise(times["work"]),
        "cpu_ms": summarise(cpu),
        "cpu_slowed_ms": summarise(slowed),
        "between_frames_ms": summarise(times["frames"]),
    }


def main() -> int:
    """Measure all settings; record them or check them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=6)
    arguments = parser.parse_args()
    with chromium() as browser:
        version = browser.version
        results = [measure(browser, setting, arguments.rounds) for setting in SETTINGS]
    for row in results:
        print(row)
    limits = {"cpu_ms": LIMIT_MS, "cpu_slowed_ms": LIMIT_SLOWED_MS}
    worst = {name: max(row[name]["p95"] for row in results) for name in limits}
    for name, limit in limits.items():
        print(f"{name}: 95th percentile {worst[name]:g} at worst, at most {limit:g} wanted")
    if arguments.check:
        return int(any(worst[name] > limit for name, limit in limits.items()))
    path = ROOT / "benchmarks" / "results" / "lab_frames.json"
    record(
        path,
        {"limit_ms": LIMIT_MS, "limit_slowed_ms": LIMIT_SLOWED_MS, "rows": results},
        script="benchmarks/lab_frames.py",
        load=round(os.getloadavg()[0], 1),
        browser=f"Chromium {version}, headless, no GPU",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
