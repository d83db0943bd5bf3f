"""Every page says what it may load, and the browser holds it to that."""

import pytest

from attention_course.site.policy import policy_of

PAGE = '<head></head><script>a()</script><script src="b.js"></script>{}'


def test_a_script_that_stands_in_the_page_is_named_by_its_hash_and_no_other_is():
    policy = policy_of(PAGE.format('<script type="application/json">{}</script>'))
    # printf 'a()' | openssl dgst -sha256 -binary | base64
    assert policy.count("'sha256-") == 1
    assert "'sha256-qVpDBgj7bpq5hMAcGp3AOc79J3Y1Z4HvySTwKrWDoy4='" in policy
    assert "script-src 'self' file: blob: 'wasm-unsafe-eval' 'sha256-" in policy
    assert "script-src 'self' file: blob: 'wasm-unsafe-eval';" in policy_of("<head></head>")


FOREIGN = """(kind) => new Promise((done) => {
  addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective));
  if (kind === "script") document.body.append(
    Object.assign(document.createElement("script"), { textContent: "window.acRan = true" }));
  // Not at once: what the test itself calls may do so.
  if (kind === "eval") setTimeout(() => new Function("window.acRan = true")());
  if (kind === "ask") fetch("https://cdn.invalid/count").catch(() => 0);
  setTimeout(() => done("allowed"), 2000);
})"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("kind", "directive"),
    [("script", "script-src-elem"), ("eval", "script-src"), ("ask", "connect-src")],
)
@pytest.mark.parametrize("name", ["book/index.html", "slides/recurrent/luong.html"])
def test_what_a_page_does_not_name_is_refused(page, home, name, kind, directive):
    page.goto(home + name)
    assert page.evaluate(FOREIGN, kind) == directive
    assert page.evaluate("window.acRan") is None
