"""The arguments of a call in two forms: by name, as the gate judges them, and as the tool gets them.

Every parameter has one name in the judged form, so that no argument can stand in for another.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from guardhouse.adapters.values import Budget, can_be_shown, judged_and_passed, restored
from guardhouse.model import GuardhouseError, InvalidAction

_ANY: Final = inspect.Parameter.VAR_KEYWORD
_REST: Final = inspect.Parameter.VAR_POSITIONAL
_UNNAMED: Final = frozenset({inspect.Parameter.POSITIONAL_ONLY, _REST})


def check_signature(name: str, signature: inspect.Signature) -> None:
    """GuardhouseError for a function in which a keyword could take the name of a positional argument."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if _ANY in kinds and _UNNAMED & kinds:
        raise GuardhouseError(
            f"{name} takes unnamed arguments beside `**`, so two arguments can have one name.",
            fix="Wrap a function that names its arguments.",
        )


@dataclass(frozen=True, slots=True)
class Arguments:
    """One call's arguments."""

    params: dict[str, Any]
    """As judged: JSON."""
    passed: inspect.BoundArguments
    """As the tool gets them."""

    def masked(self, params: dict[str, Any]) -> inspect.BoundArguments:
        """The arguments with `params` in the place of those that were judged; what is the same stays as it was."""
        if params.keys() != self.params.keys():
            raise GuardhouseError("The masked call has other arguments than the one that was judged.")
        changed = {name: value for name, value in params.items() if not _is_same(self.params[name], value)}
        masked = _from_params(self.passed.signature, changed).arguments
        arguments: dict[str, Any] = {}
        for name in self.passed.signature.parameters:
            if name in self.passed.arguments:
                kept = self.passed.arguments[name]
                is_any = self.passed.signature.parameters[name].kind is _ANY
                arguments[name] = {**kept, **masked.get(name, {})} if is_any else masked.get(name, kept)
        return inspect.BoundArguments(self.passed.signature, arguments)


def _is_same(value: Any, other: Any) -> bool:
    """Whether two judged values are one: 1, 1.0 and true are three."""
    return json.dumps(value) == json.dumps(other)


def from_call(signature: inspect.Signature, args: Any, kwargs: Any) -> Arguments:
    """The arguments of a call. Defaults count: what is not given is part of what is done, too."""
    bound = signature.bind(*args, **kwargs)
    given = set(bound.arguments)
    bound.apply_defaults()
    params: dict[str, Any] = {}
    passed: dict[str, Any] = {}
    budget = Budget()
    for name, value in bound.arguments.items():
        if name not in given and not can_be_shown(value):
            # A default that is no JSON (a client, a logger) was chosen by whoever wrote the tool, not by an agent.
            passed[name] = value
            continue
        judged, passed[name] = judged_and_passed(value, budget)
        if signature.parameters[name].kind is _ANY:
            params |= judged
        else:
            params[name] = judged
    return Arguments(params, inspect.BoundArguments(signature, passed))


def from_params(signature: inspect.Signature, params: dict[str, Any]) -> Arguments:
    """The arguments of a call that was kept in its judged form."""
    bound = _from_params(signature, params)
    for name, parameter in signature.parameters.items():
        # What could not be shown was not kept; it is the tool's own default.
        if name not in bound.arguments and parameter.default is not inspect.Parameter.empty:
            bound.arguments[name] = parameter.default
    arguments = {name: bound.arguments[name] for name in signature.parameters if name in bound.arguments}
    return Arguments(params, inspect.BoundArguments(signature, arguments))


def _from_params(signature: inspect.Signature, params: dict[str, Any]) -> inspect.BoundArguments:
    rest = dict(params)
    arguments: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is _ANY:
            arguments[name], rest = {key: restored(value) for key, value in rest.items()}, {}
        elif name in rest:
            arguments[name] = _as_declared(parameter, restored(rest.pop(name)))
    if rest:
        raise InvalidAction("The call has arguments that the tool does not take.")
    return inspect.BoundArguments(signature, arguments)


def _as_declared(parameter: inspect.Parameter, value: Any) -> Any:
    """A value that JSON has no form for, as the tool declares it: a path, or a tuple."""
    if parameter.kind is _REST:
        return tuple(value)
    declared = parameter.annotation
    name = declared if isinstance(declared, str) else getattr(declared, "__name__", "")
    is_path = isinstance(declared, type) and issubclass(declared, PurePath)
    if isinstance(value, str) and (is_path or name in {"Path", "pathlib.Path"}):
        return Path(value)
    is_tuple = name == "tuple" or name.startswith("tuple[") or getattr(declared, "__origin__", None) is tuple
    return tuple(value) if isinstance(value, list) and is_tuple else value
