"""`guardian`: trying the judge on an action, and how it and people agree."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from guardhouse.cli.auditing import log_directory, since_option, warn_of
from guardhouse.cli.options import config_option, json_option, read_stdin, state_dir_option

if TYPE_CHECKING:
    from pathlib import Path

    from guardhouse.guardian import Prompt
    from guardhouse.model import OpinionOf, SecondOpinion, Transcript
    from guardhouse.policy import Policy

_EXIT: Final = {"allow": 0, "block": 30, "error": 2}
_LARGEST: Final = 8 * 1024 * 1024


@click.group()
def guardian() -> None:
    """The second opinion of a model on calls; see docs/guardian.md."""


@guardian.command()
@click.option("--transcript", type=click.File("rb"), help="What happened before: one turn a line, as JSON.")
@click.option("--show-prompt", is_flag=True, help="Print what the model would be shown, and ask nobody.")
@config_option
@state_dir_option
@json_option
def ask(transcript: Any, config_file: Path | None, state_dir: Path | None, *, show_prompt: bool, as_json: bool) -> None:
    """Ask the model about a call, given as JSON on standard input. Nothing is decided, recorded or done.

    A turn is `{"origin": "user", "text": "…"}`; origins are user, pasted, assistant, trusted and untrusted. Of a
    result, `name` is the tool and `params` the JSON text of what it was called with. Exit status: 0 allow, 30 block, 2
    no answer.
    """
    from guardhouse.config import find_sources

    policy = find_sources(config_file=config_file, state_dir=state_dir).load()
    question = _question(policy, read_stdin(_LARGEST))
    shown = _shown(policy, question, _transcript(policy, transcript.read() if transcript is not None else b""))
    if show_prompt:
        _print({"instructions": shown.instructions, "data": shown.data} if as_json else shown.text, as_json=as_json)
        return
    opinion = _opinion(policy, shown)
    if as_json:
        import msgspec

        _print(msgspec.to_builtins(opinion), as_json=True)
    else:
        from guardhouse.model import visible

        click.echo(f"{opinion.outcome.upper()}: {visible(opinion.reason)}")
        rated = [word for word in (opinion.risk and f"risk {opinion.risk}", opinion.authorized) if word]
        click.echo(", ".join((f"{opinion.model}, {opinion.prompt}, {opinion.tokens} tokens", *rated)))
        if opinion.partial:
            click.echo("It was shown the structure of something that is too long: an allow would be a question.")
    sys.exit(_EXIT[opinion.outcome])


def _question(policy: Policy, data: bytes) -> OpinionOf:
    import msgspec

    from guardhouse.model import GuardhouseError, OpinionOf, ToolCallPre, parse_action

    action = parse_action(data, policy.config.limits)
    if not isinstance(action, ToolCallPre):
        raise GuardhouseError("Only a call about to be made is judged.", fix="Give an action of the type ToolCallPre.")
    told = {"type": action.type, "tool": action.tool, "params": action.params, "cwd": action.cwd}
    call = msgspec.json.encode(policy.redactor.value({name: one for name, one in told.items() if one is not None}))
    return OpinionOf(session_id=action.session_id or "", purpose="watch", call=call.decode(), heard=1)


def _transcript(policy: Policy, data: bytes) -> Transcript:
    import msgspec

    from guardhouse.model import GuardhouseError, Transcript, Turn

    turns = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                turn = msgspec.json.decode(line, type=Turn)
                params = policy.redactor.value(msgspec.json.decode(turn.params)) if turn.params else None
            except msgspec.MsgspecError as error:
                raise GuardhouseError(f"Line {number} of the transcript is no turn: {error}") from None
            told = msgspec.json.encode(params).decode() if turn.params else ""
            turns.append(msgspec.structs.replace(turn, text=policy.redactor.text(turn.text), params=told, whole=True))
    return Transcript(turns=tuple(turns))


def _shown(policy: Policy, question: OpinionOf, transcript: Transcript) -> Prompt:
    from os import urandom

    from guardhouse.guardian import prompt

    section = policy.config.guardian
    return prompt(
        question,
        transcript,
        fence=urandom(16).hex(),
        context=policy.redactor.text(section.context),
        answer=section.answer,
        most=section.prompt_chars,
    )


def _opinion(policy: Policy, shown: Prompt) -> SecondOpinion:
    from guardhouse.egress import SystemResolver
    from guardhouse.guardian import Endpoint, opinion_on

    section = policy.config.guardian
    return opinion_on(shown, section, Endpoint(section, SystemResolver()), policy.redactor.text)


@guardian.command()
@since_option
@state_dir_option
@json_option
def stats(since: str | None, state_dir: Path | None, *, as_json: bool) -> None:
    """Count second opinions, and on how many questions the model and people agree."""
    import msgspec

    from guardhouse.audit import Query, Unreadable, events
    from guardhouse.guardian import agreement

    unreadable = Unreadable()
    found = agreement(
        entry.event for entry in events(log_directory(state_dir), Query(since=since), unreadable=unreadable)
    )
    if as_json:
        _print({**msgspec.to_builtins(found), "compared": found.compared, "agreement": found.rate}, as_json=True)
    else:
        told = ", ".join(f"{number} {name}" for name, number in sorted(found.opinions.items())) or "none"
        click.echo(f"opinions: {told} ({found.cached} known from before, {found.tokens} tokens)")
        click.echo(f"questions spared: {found.spared}")
        click.echo(f"calls held back that would have gone through: {found.held}")
        click.echo(f"questions that people answered, too: {found.compared}")
        if found.rate is not None:
            click.echo(f"  agreement: {found.rate:.1%}")
            click.echo(f"  {found.both_yes:>8}  both yes")
            click.echo(f"  {found.both_no:>8}  both no")
            click.echo(f"  {found.only_judge_yes:>8}  the model yes, a person no")
            click.echo(f"  {found.only_person_yes:>8}  the model no, a person yes")
    warn_of(unreadable)


def _print(told: Any, *, as_json: bool) -> None:
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(told)).decode() if as_json else told)
