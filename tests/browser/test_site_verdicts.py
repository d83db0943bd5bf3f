"""Claims of explanations can be chosen by verdict and topic; without scripts all stand open."""

import pytest

pytestmark = pytest.mark.browser
ADDRESS = "book/appendix/what-explanations-get-wrong.html"
CLAIMS = "p[id]:has(> strong + em):not([id^=course])"
SEEN = """(all) => all.filter((e) => e.checkVisibility())
  .map((e) => e.querySelector(":scope > em").textContent)"""


def test_a_verdict_and_a_topic_choose_and_an_address_is_always_found(new_context, home):
    page = new_context(width=360).new_page()
    page.goto(f"{home}{ADDRESS}#two-banks")
    claims, verdict, topic = page.locator(CLAIMS), *page.locator(".ac-verdicts select").all()
    whole = claims.evaluate_all(SEEN)
    assert len(whole) >= 63
    verdict.select_option("wrong")
    wrong = claims.evaluate_all(SEEN)
    assert wrong == [said for said in whole if said.startswith("wrong")]
    topic.select_option(label="Images")
    images = claims.evaluate_all(SEEN)
    assert 0 < len(images) < len(wrong)
    told = page.locator(".ac-verdicts output").inner_text()
    assert told == f"{len(images)} of {len(whole)} claims"
    page.evaluate("location.hash = 'attention-is-alignment'")
    page.locator("#attention-is-alignment").wait_for(state="visible")
    assert claims.evaluate_all(SEEN) == whole


def test_the_search_leads_to_a_claim(page, home):
    page.goto(f"{home}search.html?q=key")
    page.wait_for_function("document.querySelector('.search-summary')?.textContent")
    asked = "Search.results('Luong attention is the dot product').map((r) => r[0] + r[2])"
    assert f"{ADDRESS[:-5]}#luong-is-the-dot-product" in page.evaluate(asked)


def test_without_scripts_all_claims_stand_open(new_context, home):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(home + ADDRESS)
    assert len(page.locator(CLAIMS).evaluate_all(SEEN)) >= 63
    assert page.locator(".ac-verdicts").count() == 0
