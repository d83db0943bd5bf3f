"""An editor in a page, as *Try it here* and *Edit and run* put it in the place of code."""

START_MS = 120_000  # on a machine that has other things to do; alone it takes some 4 s


class Editor:
    """What one types into it, presses around it and is told; ``place`` is where it stands."""

    def __init__(self, place):
        self.page, self.place = place.page, place
        place.wait_for()

    def keys(self, text):
        """Type into the editor as a person does, key by key, in place of all that it holds."""
        self.place.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.type(text)

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
