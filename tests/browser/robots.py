"""Robots that type: each works an exercise on its own page as a person does, in its browser."""

from editing import COLUMN, Editor, type_as_seen


class InChromium(Editor):
    """An exercise on its own page."""

    def __init__(self, new_context, home, slug):
        context = new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{home}book/exercises/{slug}.html")
        super().__init__(page.locator(".ac-try-here"))

    def check(self):
        self.press("Check")
        self.says("Checked in")
        return self.output()

    def save(self):
        with self.page.expect_download() as download:
            self.press("Save as a notebook")
        return download.value.path().read_text(encoding="utf-8")

    def load(self, path):
        self.place.locator("input[type=file]").set_input_files(path)
        self.says("Answers loaded", 5000)

    def reopen(self, cleared=False):
        if cleared:
            self.page.evaluate("localStorage.clear()")
        self.page.reload()
        self.place.wait_for()


class InFirefox:
    """The same there."""

    PLACE = "document.querySelector('.ac-try-here')"
    CONTROL = "\ue009"

    def __init__(self, fox, home, slug):
        self.fox, self.address = fox, f"{home}book/exercises/{slug}.html"
        self.reopen()
        self.reopen(cleared=True)

    def reopen(self, cleared=False):
        if cleared:
            self.fox.see("(localStorage.clear(), true)")
        self.fox.open(self.address)
        self.fox.see(f"Boolean({self.PLACE}?.acEditor)")

    def _over_everything(self):
        self.fox.see(f"({self.PLACE}.acEditor.focus(), true)")
        self.fox.keys("a", held=self.CONTROL)

    def keys(self, text):
        self._over_everything()
        press, names = self.fox.keys, {"Enter": "\ue006", "Backspace": "\ue003"}
        type_as_seen(text, self._column, lambda key: press(names[key]), lambda t: press(*t))

    def _column(self):
        return int(self.fox.see(f"String(({COLUMN})({self.PLACE}))"))

    def paste(self, text):
        self.fox.copy(text)
        self._over_everything()
        self.fox.keys("v", held=self.CONTROL)

    def typed(self):
        return self.fox.see(f"{self.PLACE}.acEditor.state.doc.toString()")

    def press(self, button):
        buttons = f"[...{self.PLACE}.querySelectorAll('button')]"
        self.fox.see(f"({buttons}.find((one) => one.textContent === '{button}').click(), true)")

    def says(self, words):
        status = f"{self.PLACE}.querySelector('.ac-try-status').textContent"
        self.fox.see(f"{status}.includes('{words}')")

    def check(self):
        self.press("Check")
        self.says("Checked in")
        outputs = f"[...{self.PLACE}.querySelectorAll('.ac-try-output')]"
        return self.fox.see(f"{outputs}.at(-1).textContent")

    def save(self):
        self.press("Save as a notebook")
        text = self.fox.saved("answers.ipynb")
        (self.fox.saves / "answers.ipynb").unlink()
        return text

    def load(self, path):
        self.fox.choose(".ac-try-here input[type=file]", path)
        self.says("Answers loaded")
