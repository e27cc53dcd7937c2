"""Suites of labelled cases, one a file: a module here that defines `SUITE` is a suite of `guardhouse eval`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from guardhouse.suites.interface import Outcome, Prediction, Row, Suite

__all__ = ["Outcome", "Prediction", "Row", "Suite", "find_suites"]


def find_suites() -> dict[str, Suite]:
    """Every suite by its id."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    suites = (module.SUITE for module in modules if hasattr(module, "SUITE"))
    return {suite.id: suite for suite in suites}
