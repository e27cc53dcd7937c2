"""The web console: a shell without any data, and fragments of HTML that whoever is signed in gets to see.

It holds no rule about requests: those are the approver's. Adding a page is a row in `pages.py`, rows in `routes.py`, a
module that makes its view, and a template.
"""

from __future__ import annotations

from guardhouse.server.console.assets import assets_route
from guardhouse.server.console.pages import is_page, page_routes
from guardhouse.server.console.rendering import problem_fragment
from guardhouse.server.console.routes import FRAGMENTS

__all__ = ["FRAGMENTS", "assets_route", "is_page", "page_routes", "problem_fragment"]
