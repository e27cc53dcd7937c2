"""The console's files: ours, and other people's as they released them."""

import re
from hashlib import sha256
from pathlib import Path

import guardhouse
from guardhouse.server.console.assets import asset_url, digest

STATIC = Path(guardhouse.__file__).parent / "server" / "console" / "static"
TEMPLATES = STATIC.parent / "templates"
FORBIDDEN = re.compile(r"\|\s*safe|autoescape|Markup|<script(?! src)|<style| style=| on\w+=|hx-on|js:")


def test_other_peoples_code_is_as_they_released_it():
    told = (STATIC / "vendor" / "README.md").read_text()
    listed = dict(re.findall(r"\| `([\w.]+)` \|.*`([0-9a-f]{64})`", told))
    files = {path.name for path in (STATIC / "vendor").iterdir() if path.suffix in {".js", ".css"}}
    assert files == listed.keys()
    for name, expected in listed.items():
        assert sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == expected
        assert (STATIC / "vendor" / f"{name.partition('.')[0]}.LICENSE.txt").exists()


def test_files_may_be_kept_for_good_under_their_digest_only(daemon):
    with daemon.client() as anybody:
        found = anybody.get(asset_url("console.css"))
        assert (found.status_code, found.headers["content-type"]) == (200, "text/css; charset=utf-8")
        assert "immutable" in found.headers["cache-control"]
        other = asset_url("console.css").replace(digest(), "0" * 16)
        assert anybody.get(other).status_code == 404
        for name in ("..%2fpages.py", "vendor/README.md", "nothing.js"):
            assert anybody.get(f"/console/static/{digest()}/{name}").status_code == 404


def test_no_template_trusts_a_text_or_holds_a_script_or_a_style():
    for path in TEMPLATES.iterdir():
        assert not FORBIDDEN.search(path.read_text()), path


def test_every_icon_that_is_named_is_drawn():
    drawn = set(re.findall(r'<symbol id="([\w-]+)"', (STATIC / "icons.svg").read_text()))
    named = {name for path in TEMPLATES.iterdir() for name in re.findall(r'icon\("([\w-]+)"[,)]', path.read_text())}
    assert named <= drawn
