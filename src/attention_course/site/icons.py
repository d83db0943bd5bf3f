"""The few icons of the theme, as CSS masks in the colour of the text.

They replace FontAwesome's script (1.5 MB) and font. Each is a path on a 16 by 16 grid, drawn
with a stroke of 1.5.
"""

from urllib.parse import quote

_PATHS = {
    "bars": "M2 4h12M2 8h12M2 12h12",
    "magnifying-glass": "M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.7 10.7 14 14",
    "rocket": "M5 3.2v9.6L13 8z",
    "sun": "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15"
    "M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
    "moon": "M13.5 9.5A6 6 0 1 1 6.5 2.5a5 5 0 0 0 7 7z",
    "circle-half-stroke": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M9.5 4v8M11 5v6M12.5 6.5v3",
    "angle-left": "M10 3 5 8l5 5",
    "angle-right": "M6 3l5 5-5 5",
    "xmark": "M3.5 3.5l9 9M12.5 3.5l-9 9",
}


def icons_css() -> str:
    """Return the style sheet: every icon class of the theme draws a mask, and no font."""
    rules = [
        ":is(.fa-solid,.fas,.fa-regular,.fa-brands)::before{content:none!important}",
        ":is(.fa-solid,.fas){display:inline-block;width:1.15em;height:1.15em;flex:none;"
        "vertical-align:-.2em;background:currentcolor;mask:var(--ac-icon) center/contain "
        "no-repeat;-webkit-mask:var(--ac-icon) center/contain no-repeat}",
    ]
    for name, path in _PATHS.items():
        drawing = (
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' "
            "stroke='black' stroke-width='1.5' stroke-linecap='round' stroke-linejoin='round'>"
            f"<path d='{path}'/></svg>"
        )
        data = quote(drawing, safe=" =':/")
        rules.append(f'.fa-{name}{{--ac-icon:url("data:image/svg+xml,{data}")}}')
    return "\n".join(rules) + "\n"
