"""The workbench in the page: parts of one's own, typed, put in, run and found again."""

import json

import pytest
from editing import Editor
from page_gates import Visit, none, sideways_scrolling

from attention_course.assembled import LINES, SLOTS
from attention_course.assembled.answers import course_part, stub_of
from attention_course.assembled.workbench import run_bench
from attention_course.exercises import exercise_named
from attention_course.measure import recorded

pytestmark = pytest.mark.browser
PAGE, EXERCISE = "book/practice/your-own-transformer.html", "stable-softmax"
BAHDANAU, OWN = "book/practice/your-own-bahdanau.html", "book/practice/workbench.html"
SENTENCE = "the woman who sings sees a small black cat ."
NO_RELU = """def feed_forward(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1) @ W_2 + b_2"""
EVEN = "every key gets the same weight"


class Bench(Editor):
    """The workbench of a page."""

    def __init__(self, page, home, address=PAGE):
        page.goto(home + address)
        super().__init__(page.locator(".ac-bench"))

    def row(self, slot):
        return self.place.locator(f'[data-slot="{slot}"]')

    def choose(self, slot, label):
        select = self.row(slot).locator("select")
        named = select.locator(f'option[value="wrong {label}"]')  # its label says what it costs
        select.select_option(label=named.text_content() if named.count() else label)

    def editor(self, slot):
        return Editor(self.row(slot).locator(".ac-try-here"))

    def translate(self, sentence=SENTENCE, parts=None, slots=15):
        field = self.place.get_by_label("An English sentence")
        field.fill(sentence)
        field.press("Enter")
        self.says(f"{parts} of {slots} parts yours" if parts is not None else "")

    def found(self):
        """The reader's words, the course's, the marked ones, and what is said of them."""
        cells = [
            row.locator("td").all_text_contents() for row in self.place.locator("tr").all()
        ]
        marked = self.place.locator("mark").all_text_contents()
        return cells, marked, self.place.locator(".ac-bench-first").text_content()


def natively(slots, sentence=SENTENCE, **more):
    said = []
    run_bench(json.dumps({"sentence": sentence, "slots": slots, **more}), said.append)
    return json.loads("".join(said))


def test_a_right_and_a_wrong_part_are_typed_run_told_apart_and_found_again(new_context, home):
    context = new_context(1280)
    page = context.new_page()
    visit = Visit(page, home)
    page.goto(f"{home}book/exercises/{EXERCISE}.html")
    answer = Editor(page.locator(".ac-try-here"))
    answer.keys(exercise_named(EXERCISE).solution.strip())
    bench = Bench(page, home)
    bench.choose("softmax", "your answer")
    bench.translate(parts=1)
    (mine, course), marked, said = bench.found()
    assert (mine, marked, said) == (course, [], "The same words. No result departs.")
    bench.choose("feed_forward", "written here")
    editor = bench.editor("feed_forward")
    assert editor.typed() == stub_of("feed_forward")
    editor.press("Put the course’s part here")
    assert editor.typed() == course_part("feed_forward")
    editor.keys(NO_RELU)
    bench.choose("attention", EVEN)
    chosen = bench.row("attention").locator("option:checked").text_content()
    same, about = recorded("own_parts")
    assert chosen == f"{EVEN} ({same['attention'][EVEN]['same']} of {about['sentences']} stay)"
    bench.translate(parts=1)
    bench.says("1 of 15 parts yours, 1 not called.")
    softmax = bench.row("softmax").text_content()
    assert "Not called: your attention holds its own or does without." in softmax
    over = "Your attention takes over softmax."
    right = natively({"feed_forward": {"text": NO_RELU}, "attention": {"mistake": EVEN}})
    (mine, course), marked, said = bench.found()
    first = next(i for i, pair in enumerate(zip(mine, course, strict=True)) if len({*pair}) > 1)
    assert [word for word in mine if word != "–"] == right["mine"]
    assert [word for word in course if word != "–"] == right["course"]
    assert marked == [mine[first]]
    assert f"Word {first + 1} differs: “{mine[first]}”" in said
    assert said.endswith(f"What departs first: {right['first']}. {over}")
    assert right["first"].startswith("attention in encoder block 1 while reading")
    again = Bench(page, home)
    assert again.editor("feed_forward").typed() == NO_RELU
    assert again.place.get_by_label("An English sentence").input_value() == SENTENCE
    again.press("All the course’s")
    again.press("All mine")
    assert again.row("softmax").locator("select").input_value() == "mine"
    again.translate(parts=2)
    assert (
        "What departs first: feed_forward in encoder block 1 while reading" in again.found()[2]
    )
    other = context.new_page()
    there = Bench(other, home, OWN)  # another tab's choice stands here, too, and the rest stays
    there.choose("positions", "written here")
    again.row("positions").locator("textarea, .cm-content").first.wait_for()
    assert again.row("softmax").locator("select").input_value() == "mine"
    there.choose("positions", "the course’s")
    other.goto(f"{home}book/exercises/{EXERCISE}.html")
    Editor(other.locator(".ac-try-here")).keys("stable_softmax = None")
    note = again.row("softmax").get_by_text("Your answer has changed since you put it here.")
    note.wait_for()
    again.row("softmax").get_by_role("button", name="Take it as it is now").click()
    again.translate(parts=1)
    assert "must define softmax or stable_softmax" in again.row("softmax").text_content()
    none(visit.foreign_requests())
    none([*visit.console, *visit.missing])


def test_the_model_is_chosen_and_a_slot_that_two_share_holds_the_same(new_context, home):
    bench = Bench(new_context(360, "dark").new_page(), home, BAHDANAU)
    visit = Visit(bench.page, home)
    rows = bench.place.locator("[data-slot]")
    slots = [*LINES["Bahdanau"].slots]
    assert [one.get_attribute("data-slot") for one in rows.all()] == slots
    text = exercise_named("gated-unit").solution.replace("(r * s)", "s")
    bench.choose("softmax", "the mask is ignored")
    bench.choose("gated_unit", "written here")
    bench.editor("gated_unit").keys(text)
    bench.translate(parts=1, slots=8)
    right = natively(
        {"gated_unit": {"text": text}, "softmax": {"mistake": "the mask is ignored"}},
        model="bahdanau",
    )
    (mine, course), _, said = bench.found()
    assert [word for word in mine if word != "–"] == right["mine"]
    assert [word for word in course if word != "–"] == right["course"]
    assert f"What departs first: {right['first']}." in said
    with bench.page.expect_download() as kept:
        bench.press("Keep it as one file")
    assert kept.value.suggested_filename == "bahdanau.py"
    bench.choose("bahdanau_step", "written here")
    bench.editor("bahdanau_step").type(exercise_named("bahdanau-step").solution)
    bench.translate(parts=2, slots=8)
    note = "Not called: your bahdanau_step holds its own or does without."
    assert note in bench.row("softmax").text_content()
    bench.says("2 of 8 parts yours, 1 not called.")
    model = bench.place.get_by_label("The model")
    model.select_option(label="Luong, concat")
    assert bench.row("softmax").locator("select").input_value() == "wrong the mask is ignored"
    bench.choose("luong_scores", "concat has no tanh")
    bench.translate(parts=0, slots=8)
    assert "What departs first: luong_scores in the decoder at word 1" in bench.found()[2]
    bench.press("All the course’s")
    bench.page.reload()
    assert model.input_value() == "luong-concat"
    model.select_option(label="Bahdanau")
    assert bench.row("gated_unit").locator("select").input_value() == "written"
    assert bench.row("softmax").locator("select").input_value() == ""
    assert not sideways_scrolling(bench.page)
    none([*visit.console, *visit.missing])


def test_what_raises_or_does_not_end_is_named_and_the_courses_goes_on(new_context, home):
    bench = Bench(new_context(360, "dark").new_page(), home, OWN)
    bench.choose("normalisation", "written here")
    bench.editor("normalisation").keys("def layer_norm(x, gain, shift):\n    return gain[x]")
    bench.choose("softmax", "written here")
    bench.editor("softmax").keys("def softmax(x, axis=-1, mask=None):\n    while True: x = x")
    bench.translate(parts=0)
    (mine, course), _, said = bench.found()
    assert mine == course
    assert said == "Failed: softmax, normalisation. The course’s part stands in. "
    for slot, words in {"normalisation": "IndexError", "softmax": "it still ran after"}.items():
        note = bench.row(slot).text_content()
        assert f"{slot} in encoder block 1 while reading: " in note
        assert words in note
        assert "The course’s part stands in." in note
        bench.place.locator(".ac-bench-first").get_by_role("link", name=slot).click()
        assert bench.page.evaluate("location.hash") == f"#bench-{slot}"
    bench.press("Translate")
    bench.says("Translating")
    bench.press("Stop")
    bench.says("Stopped.")
    bench.place.get_by_text("What does each named mistake cost?").press("Enter")
    costs = bench.place.get_by_role("region", name="Costs")
    costs.wait_for()
    same, about = recorded("own_parts")
    stays = [cost["same"] for each in same.values() for cost in each.values()]
    assert costs.locator("tr").count() == len(stays) + 1
    assert costs.locator("th").first.text_content() == f"of {about['sentences']} stay"
    assert costs.locator("td").first.text_content() == f"{max(stays)}"
    bench.press("All the course’s")
    bench.translate("the telephone rings", None)
    bench.says("no english word 'telephone'")
    bench.translate("the cat runs. the dog runs.", 0)
    said = bench.found()[2]
    assert said.startswith("One sentence at a time: leave out what follows “the cat runs .”.")
    assert not sideways_scrolling(bench.page)


def test_all_of_ones_own_is_said_and_kept_as_a_file_with_its_weights(
    new_context, home, tmp_path
):
    bench = Bench(new_context(1280).new_page(), home)
    for slot in SLOTS:
        bench.choose(slot, "written here")
        bench.editor(slot).type(f"# mine\n{course_part(slot)}")
    bench.translate(parts=15)
    assert bench.place.get_by_text("this is your Transformer").is_visible()
    for name in ("Keep it as one file", "its weights"):
        with bench.page.expect_download() as kept:
            bench.place.get_by_text(name, exact=True).click()
        kept.value.save_as(tmp_path / kept.value.suggested_filename)
    space = {"__file__": str(tmp_path / "translator.py")}
    exec((tmp_path / "translator.py").read_text("utf-8"), space)
    assert space["translate"](SENTENCE).split() == natively({})["course"]
    there = Bench(new_context(1280).new_page(), home)  # another browser
    there.place.locator("input[type=file]").set_input_files(tmp_path / "translator.py")
    there.says("Loaded: softmax, attention")
    assert there.editor("beam").typed().startswith("# mine\n")
    there.translate(parts=15)
    assert there.place.get_by_text("this is your Transformer").is_visible()
