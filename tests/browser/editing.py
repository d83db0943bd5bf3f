"""An editor in a page, as *Try it here* and *Edit and run* put it in the place of code."""

START_MS = 120_000  # on a machine that has other things to do; alone it takes some 4 s
COLUMN = """({ acEditor: { state } }) => {
  const { head } = state.selection.main;
  return head - state.doc.lineAt(head).from;
}"""


class Editor:
    """What one types into it, presses around it and is told; ``place`` is where it stands."""

    def __init__(self, place):
        self.page, self.place = place.page, place
        place.wait_for()

    def keys(self, text):
        """Type in place of all that it holds, as one who sees what the editor indents."""
        keyboard = self._over_everything()
        for number, line in enumerate(text.split("\n")):
            if number:
                keyboard.press("Enter")
            if bare := line.lstrip(" "):
                wanted = len(line) - len(bare)
                while (there := self.place.evaluate(COLUMN)) > wanted:
                    keyboard.press("Backspace")
                keyboard.type(" " * (wanted - there) + bare)

    def paste(self, text):
        """Put a text into the clipboard, and from there in place of all that it holds."""
        self.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        self._over_everything().press("ControlOrMeta+v")

    def _over_everything(self):
        self.place.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        return self.page.keyboard

    def type(self, source):
        self.place.evaluate("(place, source) => place.acSet(source)", source)

    def typed(self) -> str:
        return self.place.evaluate("(place) => place.acEditor.state.doc.toString()")

    def press(self, name):
        self.place.get_by_role("button", name=name, exact=True).click()

    def says(self, words, timeout=START_MS):
        self.place.locator(".ac-try-status", has_text=words).wait_for(timeout=timeout)

    def output(self) -> str:
        return self.place.locator(".ac-try-output").last.text_content()
