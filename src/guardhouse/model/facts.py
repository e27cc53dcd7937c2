"""What the world says, as far as a decision depends on it.

`decide` names what it needs; ports find out; the answers are recorded here and go into the audit event, so that the
same decision can be made again later without asking the world. A question that could not be answered is a fact too:
it carries an error, and policy treats it as the worst answer.
"""

from __future__ import annotations

import msgspec


class AddressesOf(msgspec.Struct, frozen=True, tag=True):
    """Every address a host name resolves to."""

    host: str


class RealPathOf(msgspec.Struct, frozen=True, tag=True):
    """Where an absolute path leads once every link on the way is followed."""

    path: str


Need = AddressesOf | RealPathOf


class Addresses(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to AddressesOf."""

    addresses: tuple[str, ...] = ()
    error: str = ""
    """Why there is no answer; a reason to deny."""
    skipped: bool = False
    """The caller asked for a decision without network access, as `guardhouse check` does by default."""


class RealPath(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to RealPathOf."""

    path: str = ""
    error: str = ""


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All answers so far. Immutable: gathering more makes a new one."""

    addresses: dict[str, Addresses] = {}
    real_paths: dict[str, RealPath] = {}

    def answers(self, need: Need) -> bool:
        """Whether `need` has an answer, good or bad."""
        if isinstance(need, AddressesOf):
            return need.host in self.addresses
        return need.path in self.real_paths

    def with_answers(self, answers: dict[Need, Addresses | RealPath]) -> Facts:
        """These facts and `answers`."""
        addresses = dict(self.addresses)
        real_paths = dict(self.real_paths)
        for need, answer in answers.items():
            if isinstance(need, AddressesOf) and isinstance(answer, Addresses):
                addresses[need.host] = answer
            elif isinstance(need, RealPathOf) and isinstance(answer, RealPath):
                real_paths[need.path] = answer
            else:
                raise TypeError(f"{type(answer).__name__} does not answer {type(need).__name__}")
        return Facts(addresses=addresses, real_paths=real_paths)


NO_FACTS = Facts()
