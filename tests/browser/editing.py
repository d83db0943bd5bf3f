"""An editor in a page, as *Try it here* and *Edit and run* put it in the place of code."""

START_MS = 120_000  # on a machine that has other things to do; alone it takes some 4 s
COLUMN = """({ acEditor: { state } }) => {
  const { head } = state.selection.main;
  return head - state.doc.lineAt(head).from;
}"""


def type_as_seen(text, column, press, write):
    """Type lines as one who sees what the editor indents, and in which column one stands."""
    for number, line in enumerate(text.split("\n")):
        if number:
            press("Enter")
        if bare := line.lstrip(" "):
            wanted = len(line) - len(bare)
            while (there := column()) > wanted:
                press("Backspace")
            write(" " * (wanted - there) + bare)


class Editor:
    """What one types into it, presses around it and is told; ``place`` is where it stands."""

    def __init__(self, place):
        self.page, self.place = place.page, place
        place.wait_for()

    def keys(self, text):
        """Type in place of all that it holds, key by key."""
        keyboard = self._over_everything()
        type_as_seen(text, lambda: self.place.evaluate(COLUMN), keyboard.press, keyboard.type)

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
