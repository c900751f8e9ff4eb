"""The site under the policy that it ships: no page of any kind is refused anything, and the policy bites."""

from __future__ import annotations

from playwright.sync_api import expect

#: Collects what the browser's policy refused.
LISTEN = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (e) =>
  window.refused.push(`${e.effectiveDirective}: ${e.blockedURI} in ${e.sourceFile}:${e.lineNumber}`));
"""
#: Follows a link to an address, as a press on one would.
FOLLOW = """
(address) => {
  const link = document.createElement("a");
  link.href = address;
  document.body.append(link);
  link.click();
  link.remove();
}
"""


def test_no_kind_of_page_is_refused_anything(visit, page_kinds, charts_are_live) -> None:
    """In other widths and palettes ``test_pages`` opens them, and fails for anything refused."""
    window = visit()
    window.context.add_init_script(LISTEN)
    for path in page_kinds:
        page = window.open(path)
        charts_are_live(page)
        assert page.evaluate("window.refused") == [], path
    page.keyboard.press("/")
    page.keyboard.type("rate")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    assert page.evaluate("window.refused") == []


def test_nothing_is_refused_on_the_way_from_page_to_page(visit, page_kinds, charts_are_live) -> None:
    window = visit()
    window.context.add_init_script(LISTEN)
    page = window.open()
    page.evaluate("window.sameDocument = true")
    for link in ("scenarios/", "devices/", "data/", "compare/"):
        before = page.title()
        page.evaluate(FOLLOW, window.base + link)
        expect(page).not_to_have_title(before)  # the address changes before the content does
        expect(page).to_have_url(window.base + link)
        charts_are_live(page)
    assert page.evaluate("window.sameDocument"), "the page was loaded anew: navigation is not instant"
    assert page.evaluate("window.refused") == []
    assert page.locator("meta[http-equiv='Content-Security-Policy']").count() == 1


def test_a_chart_shows_its_figures_under_the_pointer(visit, built_site, page_kinds, charts_are_live) -> None:
    path = max(
        page_kinds, key=lambda p: (built_site / p / "index.html").read_text("utf-8").count("data-spec=")
    )
    page = visit().open(path)
    charts_are_live(page)
    tip = page.locator("#vg-tooltip-element")
    for mark in page.locator(".chart svg.marks path[aria-roledescription]").all()[:20]:
        mark.hover(force=True)
        if tip.count() and tip.is_visible():
            break
    expect(tip).to_be_visible()
    assert tip.evaluate("e => getComputedStyle(e).position") == "fixed"


def test_the_policy_refuses_what_it_must(visit, until) -> None:
    window = visit()
    window.context.add_init_script(LISTEN)
    page = window.open("methodology/")
    page.evaluate(
        """() => {
          const inline = document.createElement("script");
          inline.textContent = "window.ran = true";
          document.head.append(inline);
          const style = document.createElement("style");
          style.textContent = "h1 { color: red }";
          document.head.append(style);
          const image = new Image();
          image.src = "http://127.0.0.1:9/x.png";
          document.body.append(image);
          // Not at once: what a debugger evaluates may evaluate.
          setTimeout(() => {
            try { window.evaluated = new Function("return 1")(); } catch { window.kept = true; }
          });
        }"""
    )
    until(page, "window.refused.length >= 4")
    until(page, "window.kept")
    assert page.evaluate("[window.ran, window.evaluated]") == [None, None]
    window.faults.clear()  # the browser itself reports what this test had refused
