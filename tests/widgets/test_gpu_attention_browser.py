"""Attention on a GPU in the page: Chromium's WebGPU on SwiftShader, which needs none.

Its times mean nothing. What is tested is that both kernels are attention, that a wrong one is
never timed, and that whatever is missing or lost is said in words. Then the exercise: right
answers, named mistakes, what is kept.
"""

import json

import headless
import numpy as np
import pytest
from frames import frames
from playwright.sync_api import expect

from attention_course.reference import scaled_dot_product_attention
from attention_course.widgets import FusedRow, GpuAttention
from attention_course.widgets.kit.compose import WIDGETS

bare_page = pytest.importorskip("bare_page")
pytestmark = pytest.mark.browser

SWIFTSHADER = (
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
)
HOME = "http://localhost/"  # as good as https: it has a GPU, and it keeps what is written
SMALL = {"heads": 1, "d": 32, "longest": 128}
KEEP_DEVICE = """window.asked = 0;
const ask = GPU.prototype.requestAdapter;
GPU.prototype.requestAdapter = function () { window.asked += 1; return ask.call(this); };
const open = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...given) {
  return (window.device = await open.apply(this, given));
};"""


@pytest.fixture(scope="module")
def webgpu(browser):
    """A second browser, whose GPU is a program."""
    other = browser.browser_type.launch(
        executable_path=headless.found(), args=[*headless.ARGUMENTS, *SWIFTSHADER]
    )
    yield other
    other.close()


@pytest.fixture
def run(show):
    """Opens the widget in a browser, its code changed if a test asks."""
    return lambda within, script=KEEP_DEVICE, changes=(), **state: show(
        GpuAttention(**(SMALL | state)), within=within, script=script, changes=changes
    )


def press(page, name="Run on my GPU"):
    page.get_by_role("button", name=name, exact=True).click()


def told(page):
    """What the widget says in the end."""
    page.wait_for_function("document.querySelector('.ac-picture[aria-busy=false]')")
    frames(page)
    return page.locator(".ac-gpu-status").text_content()


def timed(page):
    cells = page.locator("[data-seconds]")
    return [float(s) for s in cells.evaluate_all("all => all.map(c => c.dataset.seconds)")]


RUN = """async ({sizes, shape}) => {
  const { openGpu } = await import("/gpu_attention/gpu.js");
  const gpu = await openGpu();
  const programs = await gpu.compile(shape);
  const found = [];
  for (const [size, q, k, v] of sizes) {
    const given = { q: Float32Array.from(q), k: Float32Array.from(k), v: Float32Array.from(v) };
    const problem = await gpu.place(size, given, programs);
    const row = {};
    for (const form of problem.forms) row[form] = [...await problem.result(form)];
    problem.destroy();
    found.push(row);
  }
  gpu.end();
  return found;
}"""


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [32, 64])
def test_both_kernels_are_the_reference(local, d, causal):
    draw, heads, sizes, wanted = np.random.RandomState(d), 3, [], []
    for n, stretch in ((1, 1), (2, 1), (31, 8), (32, 1), (33, 8), (100, 1)):
        q, k, v = draw.standard_normal((3, heads, n, d)).astype(np.float32)
        q *= stretch
        size = {"n": n, "d": d, "heads": heads, "causal": causal}
        sizes.append([size, *(x.ravel().tolist() for x in (q, k, v))])
        mask = np.tri(n, dtype=bool) if causal else None
        x, y, z = (a.astype(np.float64) for a in (q, k, v))
        wanted.append(scaled_dot_product_attention(x, y, z, mask=mask)[0].ravel())
    shape = {"d": d, "causal": causal}
    for got, right in zip(
        local.evaluate(RUN, {"sizes": sizes, "shape": shape}), wanted, strict=True
    ):
        assert sorted(got) == ["fused", "passes"]
        for values in got.values():
            np.testing.assert_allclose(values, right, rtol=0, atol=2e-5)


def test_it_runs_when_pressed_and_not_before(webgpu, run):
    page = run(webgpu)
    assert "Nothing has run yet" in page.locator(".ac-gpu-status").text_content()
    assert (page.evaluate("window.asked"), timed(page)) == (0, [])
    press(page)
    words = told(page)
    assert "both kernels equal attention in float64" in words
    assert page.evaluate("window.asked") == 1
    shown = timed(page)
    assert len(shown) == 2
    assert min(shown) > 0
    press(page, "Copy my result")
    page.wait_for_function("navigator.clipboard.readText().then((t) => t.startsWith('{'))")
    result = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert result["adapter"]["architecture"] == "swiftshader"
    assert [row["n"] for row in result["rows"]] == [128]
    assert list(result["rows"][0]["seconds"].values()) == shown
    assert 0 < result["error"] < 1e-4
    assert result["checked"] == 23
    wanted = GpuAttention.described(GpuAttention(**SMALL).stored())["readouts"]
    assert result["rows"][0]["bytes"] == {
        form: wanted[f"moved-{form}"] for form in ("passes", "fused")
    }
    # Another setting has no times yet.
    page.get_by_label("Causal").check()
    frames(page)
    assert timed(page) == []
    assert page.get_by_role("button", name="Copy my result").count() == 0


def test_what_is_shown_is_what_runs(webgpu, run):
    keep = "window.codes = []; const make = GPUDevice.prototype.createShaderModule;"
    keep += "GPUDevice.prototype.createShaderModule = function (given) {"
    keep += "window.codes.push(given.code); return make.call(this, given); };"
    page = run(webgpu, keep, causal=True)
    press(page)
    told(page)
    shown = page.locator(".ac-gpu-code").all_text_contents()
    assert shown == page.evaluate("window.codes")
    assert len(shown) == 2


WRONG = {
    "the sum is not rescaled": ("l = l * fade + p", "l = l + p"),
    "the contexts are not rescaled": ("acc[c] * fade + p", "acc[c] + p"),
    "the last block is left out": ("b < seen; b += T", "b + T < seen; b += T"),
    "the mask is inverted": ("CAUSAL && b + j > i) { break", "CAUSAL && b + j < i) { continue"),
    "three passes, without the scale": ("s[r] / sqrt(f32(D))", "s[r]"),
    "three passes, the mask one key late": ("select(n, at.x + 1u,", "select(n, at.x + 2u,"),
    "three passes, the end of a row not cut off": (
        "e + c % T < seen)",
        "e + c % T < seen + T)",
    ),
}


@pytest.mark.gate("a kernel is held against float64 before it is timed", "a wrong kernel")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_is_seen_and_not_timed(webgpu, run, name):
    page = run(webgpu, changes=[WRONG[name]], causal=True)
    press(page)
    words = told(page)
    assert "so nothing is timed" in words
    assert ("three passes" in words) == ("three passes" in name)
    assert timed(page) == []
    assert page.get_by_role("button", name="Copy my result").count() == 0


def test_a_kernel_that_does_not_compile_is_said_with_its_line(webgpu, run):
    page = run(webgpu, changes=[("let top = max(m, s);", "let top = max(m, z);")])
    press(page)
    assert "did not compile a kernel: line 2" in told(page)
    assert timed(page) == []


def test_a_lost_device_is_said_and_the_next_press_asks_again(webgpu, run):
    page = run(webgpu, longest=1024)
    press(page)
    page.wait_for_function("document.querySelector('[data-seconds]')")
    page.evaluate("window.device.destroy()")
    assert "The GPU was lost on the way" in told(page)
    page.get_by_label("Tokens up to").select_option("128")
    press(page)
    assert "both kernels equal" in told(page)


def test_it_stops(webgpu, run):
    page = run(webgpu, longest=2048)
    press(page)
    page.wait_for_function("document.querySelector('[data-seconds]')")
    press(page, "Stop")
    assert told(page) == "Stopped."
    expect(page.get_by_role("button", name="Run on my GPU")).to_be_visible()
    seen = timed(page)
    page.wait_for_function("window.device.lost.then(() => true)")
    assert timed(page) == seen


NO_MEMORY = """const filters = [];
const { pushErrorScope: push, popErrorScope: pop } = GPUDevice.prototype;
GPUDevice.prototype.pushErrorScope = function (filter) {
  filters.push(filter);
  return push.call(this, filter);
};
GPUDevice.prototype.popErrorScope = async function () {
  const found = await pop.call(this);
  return filters.pop() === "out-of-memory" ? { message: "no memory left" } : found;
};"""


def test_too_little_memory_is_said(webgpu, run):
    page = run(webgpu, NO_MEMORY)
    press(page)
    assert "too little memory left for this length: no memory left" in told(page)


GPU_IS = "Object.defineProperty(navigator, 'gpu', { value: %s });"
MISSING = {
    "there is no navigator.gpu": GPU_IS % "undefined",
    "offers no GPU": GPU_IS % "{ requestAdapter: async () => null }",
    "only to pages that came over https": GPU_IS % "undefined"
    + "Object.defineProperty(window, 'isSecureContext', { value: false });",
    "could not open it: in use": GPU_IS
    % "{ requestAdapter: async () => ({ limits: {}, requestDevice: async () => "
    "{ throw Error('in use'); } }) }",
}


@pytest.mark.parametrize("words", MISSING)
def test_why_it_cannot_run_is_said_in_words(browser, run, words):
    page = run(browser, MISSING[words])
    press(page)
    assert words in told(page)
    expect(page.get_by_role("button", name="Run on my GPU")).to_be_visible()
    # What is counted and what is published stays.
    said = GpuAttention.described(GpuAttention(**SMALL).stored())
    assert page.locator(".ac-readout").text_content() == said["sentence"]
    assert page.locator(".ac-chart-marker").count() > 20


# The exercise.

# Right answers that look odd, as changes of the solution.
ODD = {
    "the sums are rescaled only when they must be": (
        """    let top = max(m, s);
    let fade = exp(m - top);
    let p = exp(s - top);
    l = l * fade + p;
    for (var c = 0u; c < D; c++) { acc[c] = acc[c] * fade + p * value(j, c); }
    m = top;
""",
        """    if (s > m) {
      let fade = exp(m - s);
      l *= fade;
      for (var c = 0u; c < D; c++) { acc[c] *= fade; }
      m = s;
    }
    l += exp(s - m);
    for (var c = 0u; c < D; c++) { acc[c] += exp(s - m) * value(j, c); }
""",
    ),
    "the context is an average all along": (
        "l = l * fade + p;\n"
        "    for (var c = 0u; c < D; c++) { acc[c] = acc[c] * fade + p * value(j, c); }",
        "l = l * fade + p;\n"
        "    for (var c = 0u; c < D; c++) { acc[c] += p / l * (value(j, c) - acc[c]); }",
    ),
}
WITHOUT_DIVISION = ("  for (var c = 0u; c < D; c++) { acc[c] /= l; }\n", "")
TWICE = (
    "  for (var j = 0u; j < seen; j++) {\n",
    "  for (var j = 0u; j < seen; j++) { var s = key(j, 0u); m = max(m, s - s - 1e30); }\n"
    "  for (var j = 0u; j < seen; j++) {\n",
)

EXAMINE = """async () => {
  const { openGpu } = await import("/gpu_attention/gpu.js");
  const { between, examine, run, TOLERANCE } = await import("/fused_row/judge.js");
  const { MISTAKES, mistaken } = await import("/fused_row/row.js");
  const gpu = await openGpu();
  const given = [];
  for (const mistake of MISTAKES) given.push(await run(gpu, mistaken(mistake)));
  const alike = [];
  given.forEach((one, i) => given.forEach((other, j) => {
    if (i < j && between(one, other) <= TOLERANCE) alike.push([i, j]);
  }));
  const named = [];
  for (const mistake of MISTAKES) {
    const found = await examine(gpu, mistaken(mistake));
    named.push([mistake.name, found.outcome, found.mistake?.name ?? ""]);
  }
  gpu.end();
  return { alike, named };
}"""


@pytest.fixture
def local(webgpu):
    """A page that can import the widgets' scripts; a widget opens in it."""
    context = webgpu.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    said = []
    page.on("pageerror", lambda error: said.append(str(error)))

    def answer(route):
        path = WIDGETS / route.request.url.removeprefix(HOME)
        if path.is_file():
            route.fulfill(path=path)
        else:
            text = bare_page.bare_page(FusedRow())
            route.fulfill(body=text, content_type="text/html")

    page.route(f"{HOME}**", answer)
    page.goto(HOME)
    page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
    yield page
    context.close()
    assert said == []


@pytest.fixture
def solution(local):
    return local.evaluate("async () => (await import('/fused_row/row.js')).SOLUTION")


def changed(text, *changes):
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def checked(page, text):
    """Write an answer, press Check, and return what is said."""
    page.locator("textarea").fill(text)
    page.get_by_role("button", name="Check").click()
    page.wait_for_function("document.querySelector('.ac-picture[aria-busy=false]')")
    frames(page)
    return page.locator(".ac-readout").text_content()


def test_every_mistake_is_seen_and_recognised_by_its_name(local):
    found = local.evaluate(EXAMINE)
    assert found["alike"] == []
    assert len(found["named"]) >= 6
    for name, outcome, recognised in found["named"]:
        assert (outcome, recognised) == ("wrong", name)


def test_right_answers_pass_odd_ones_too(local, solution):
    assert checked(local, solution).startswith("Right: 5 inputs")
    rescaled, average = ODD.values()
    assert checked(local, changed(solution, rescaled)).startswith("Right")
    assert checked(local, changed(solution, average, WITHOUT_DIVISION)).startswith("Right")


def test_a_second_pass_over_the_keys_is_seen(local, solution):
    words = checked(local, changed(solution, TWICE))
    assert "contexts are right, but some query reads its keys 1.1 times" in words


def test_a_mistake_is_said_and_one_without_a_name_too(local, solution):
    words = checked(local, changed(solution, ("l = l * fade + p", "l = l + p")))
    assert "if the sum is not rescaled." in words
    words = checked(local, changed(solution, ("acc[c] /= l", "acc[c] /= l * 1.5")))
    assert words.startswith("Not yet. With 40 keys, a number differs by")
    assert "comes out if" not in words


def test_what_does_not_compile_is_said_with_the_readers_line(local, solution):
    assert "It does not compile. Line 10: " in checked(
        local, changed(solution, ("let top = max(m, s)", "let top = max(m, z)"))
    )
    assert "It does not compile." in checked(local, "fn other() {}")
    assert checked(local, solution).startswith("Right")


def test_what_was_written_is_kept_until_it_is_reset(local):
    local.locator("textarea").fill("fn mine() {}")
    local.reload()
    expect(local.locator("textarea")).to_have_value("fn mine() {}")
    assert local.locator(".ac-readout").text_content() == "Not checked yet."
    local.get_by_role("button", name="Reset").click()
    expect(local.locator("textarea")).to_have_value(FusedRow().code)
    frames(local)
    local.reload()
    expect(local.locator("textarea")).to_have_value(FusedRow().code)
