"""Cards as messages of a Telegram bot to its admins, and their answers by button or command.

Who answers is who Telegram says wrote or pressed, in a private chat of their own with the bot, and only if they are
configured. Buttons carry random ids and nothing else. No text of Telegram's library is ever passed on: its errors name
URLs, and those hold the bot's token.
"""

from __future__ import annotations

import logging
import re
import warnings
from datetime import timedelta
from html import escape, unescape
from string import Formatter
from typing import TYPE_CHECKING, Any, Final, Literal

from guardhouse.approvals.card import plain
from guardhouse.approvals.channels.credentials import read_credential, stays_unread
from guardhouse.approvals.channels.interface import (
    Answers,
    Buttons,
    Press,
    RemoteCard,
    Reply,
    Said,
    Setting,
    TryLater,
    Undeliverable,
)
from guardhouse.approvals.channels.minimum import moment
from guardhouse.model import ApprovalStatus, GuardhouseError
from guardhouse.net import BadDestination, parse_destination

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import telegram

_TOKEN: Final = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]{20,100}")
_POLL: Final = 25
"""Seconds that Telegram may wait for something to tell us."""
_PATIENCE: Final = 10.0
"""Seconds for everything else."""
_LONGEST_MESSAGE: Final = 4096
_LONGEST_NOTICE: Final = 200
"""Characters of a notice that answers a button."""
_BAD_TOKEN_PAUSE: Final = 60.0
_MOST_STRANGERS: Final = 100

_FIELDS: Final = ("id", "risk", "advice", "action", "reasons", "session", "expires", "covers")
_BUILT_IN: Final = """{id} · risk: {risk}
{advice}

{action}

Why you are asked:
{reasons}
Session: {session}
Answer until: {expires}
Approving covers: {covers}"""
_TAGS: Final = re.compile(r"<[^>]*+>")
_COMMAND: Final = re.compile(
    r"/([A-Za-z]{1,32}+)(?:@([A-Za-z0-9_]{1,64}+))?+(?:\s++(\S++))?+(?:\s++(.*+))?+", re.DOTALL
)
_VERBS: Final[dict[str, Literal["approve", "deny", "resume"]]] = {
    "approve": "approve",
    "deny": "deny",
    "resume": "resume",
}
_HELP: Final = "I know /approve ID, /deny ID why, and /resume ID."
_NOT_YOU: Final = "You may not answer here. Nothing was changed."


def open_telegram(setting: Setting) -> Telegram | None:
    """The notifier that the configuration asks for; None without anybody to ask. GuardhouseError if it is no use."""
    section = setting.config.approvals.telegram
    if not section.chat_ids:
        return None
    _check_template(section.template)
    _check_api(section.api_url)
    token = read_credential(
        setting.environment, "GUARDHOUSE_TELEGRAM_TOKEN", section.token_file, "token of the Telegram bot"
    )
    if not _TOKEN.fullmatch(token):
        raise GuardhouseError(
            "The token of the Telegram bot is none.", fix="Copy it from @BotFather: digits, a colon, and letters."
        )
    bot, lines = _open_bot(token, section.api_url)
    return Telegram(bot, lines, section.chat_ids, template=section.template)


def _open_bot(token: str, api_url: str) -> tuple[telegram.Bot, tuple[telegram.request.BaseRequest, ...]]:
    """The bot, and the connections that it writes and listens by."""
    try:
        from httpx import create_ssl_context
        from telegram import Bot
        from telegram.request import HTTPXRequest
        from telegram.warnings import PTBDeprecationWarning
    except ImportError:
        raise GuardhouseError(
            "Telegram needs a part that is not installed.", fix="pip install 'guardhouse[telegram]'"
        ) from None
    for name in ("telegram", "httpx"):  # they log URLs, and answers as they came
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", message=".*`retry_after`", category=PTBDeprecationWarning)
    authorities = create_ssl_context(trust_env=False)  # to read them takes a while: once for both
    writing, listening = (
        HTTPXRequest(
            connection_pool_size=size,
            connect_timeout=_PATIENCE,
            read_timeout=_PATIENCE,
            # no proxies or certificates of the environment
            httpx_kwargs={"trust_env": False, "verify": authorities},
        )
        for size in (4, 1)
    )
    bot = Bot(token, base_url=f"{api_url.rstrip('/')}/bot", request=writing, get_updates_request=listening)
    return bot, (writing, listening)


def _check_api(api_url: str) -> None:
    fix = "Write https://api.telegram.org, or where your own Bot API server is."
    try:
        destination = parse_destination(api_url)
    except BadDestination as error:
        raise GuardhouseError(f"approvals.telegram.api_url can't be used: {error.what}", fix=fix) from None
    if destination.scheme not in {"http", "https"} or destination.has_query or "{" in api_url:
        raise GuardhouseError("approvals.telegram.api_url is no plain http or https URL.", fix=fix)
    if not stays_unread(destination):
        raise GuardhouseError(
            "approvals.telegram.api_url would send the bot's token over the network in the clear.", fix="Use https."
        )


class Telegram:
    """A bot that writes to `chat_ids` and hears nobody else."""

    name: Final = "telegram"

    def __init__(
        self,
        bot: telegram.Bot,
        lines: tuple[telegram.request.BaseRequest, ...],
        chat_ids: tuple[int, ...],
        *,
        template: str = "",
    ) -> None:
        self._bot = bot
        self._lines = lines
        self._people: Final = frozenset(chat_ids)
        self._template: Final = template
        self.addresses: Final = tuple(dict.fromkeys(map(str, chat_ids)))
        self._offset: int | None = None
        self._strangers: set[int] = set()

    async def send(self, delivery_id: str, address: str, card: RemoteCard, buttons: Buttons) -> str:  # noqa: ARG002
        """Write the card to one person."""
        from telegram import InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions

        row = [InlineKeyboardButton("Deny", callback_data=buttons.deny)]
        if card.is_whole and buttons.approve is not None:
            row.insert(0, InlineKeyboardButton("Approve", callback_data=buttons.approve))
        message = await _asked(
            self._bot.send_message(
                int(address),
                card_html(card, self._template),
                parse_mode="HTML",
                link_preview_options=LinkPreviewOptions(is_disabled=True),
                reply_markup=InlineKeyboardMarkup([row]),
            )
        )
        return str(message.message_id)

    async def settle(self, delivery_id: str, address: str, message: str, card: RemoteCard) -> None:  # noqa: ARG002
        """Let the card say what became of the request, without buttons."""
        from telegram import InlineKeyboardMarkup, LinkPreviewOptions

        await _asked(
            self._bot.edit_message_text(
                card_html(card, self._template),
                chat_id=int(address),
                message_id=int(message),
                parse_mode="HTML",
                link_preview_options=LinkPreviewOptions(is_disabled=True),
                reply_markup=InlineKeyboardMarkup([]),
            ),
            unless="message is not modified",
        )

    async def listen(self, answers: Answers, report: Callable[[str], None]) -> None:
        """Hear what people press and write. What was heard is confirmed when more is asked for, so it is heard again
        if this process ends before."""
        username = (await _asked(self._bot.get_me())).username or ""
        while True:
            updates = await _asked(
                self._bot.get_updates(
                    offset=self._offset,
                    timeout=timedelta(seconds=_POLL),
                    allowed_updates=["message", "callback_query"],
                )
            )
            for update in updates:
                try:
                    if update.callback_query is not None:
                        await self._pressed(update.callback_query, answers)
                    elif update.message is not None:
                        await self._written(update.message, username, answers, report)
                except (TryLater, Undeliverable) as error:
                    report(f"Somebody could not be told what became of their answer: {error}")
                except Exception as error:  # noqa: BLE001 - else it would come again and again
                    report(f"A message from Telegram could not be read: {type(error).__name__}.")
                self._offset = update.update_id + 1

    async def close(self) -> None:
        """Let go of connections."""
        for line in self._lines:
            await line.shutdown()

    async def _pressed(self, query: telegram.CallbackQuery, answers: Answers) -> None:
        person, card = query.from_user, query.message
        if (
            card is None
            or not query.data
            or person.id not in self._people
            or person.is_bot
            or card.chat.type != "private"
            or card.chat.id != person.id
        ):
            await self._tell(query, Reply(_NOT_YOU))
            return
        press = Press(
            address=str(card.chat.id), message=str(card.message_id), button=query.data, actor=_actor(person.id)
        )
        reply = await answers.pressed(press)
        await self._tell(query, reply)
        if reply.is_stale:
            await _asked(
                self._bot.edit_message_reply_markup(chat_id=card.chat.id, message_id=card.message_id),
                unless="message is not modified",
            )

    async def _tell(self, query: telegram.CallbackQuery, reply: Reply) -> None:
        notice = _shortened(reply.text, _LONGEST_NOTICE)
        await _asked(self._bot.answer_callback_query(query.id, text=notice, show_alert=True))

    async def _written(
        self, message: telegram.Message, username: str, answers: Answers, report: Callable[[str], None]
    ) -> None:
        person = message.from_user
        if person is None or message.chat.type != "private" or message.chat.id != person.id or person.is_bot:
            return
        if person.id not in self._people:
            if person.id not in self._strangers and len(self._strangers) < _MOST_STRANGERS:
                self._strangers.add(person.id)
                report(f"Somebody with the number {person.id} wrote to the bot, and may not answer.")
            return
        if message.forward_origin is not None or message.via_bot is not None:
            return  # somebody else's words
        command = _COMMAND.fullmatch(message.text or "")
        if command is None or (command[2] and command[2].lower() != username.lower()):
            return
        verb, named, rest = _VERBS.get(command[1].lower()), command[3], command[4]
        if named and verb is not None:
            said = Said(
                address=str(message.chat.id), verb=verb, named=named, comment=rest or None, actor=_actor(person.id)
            )
            reply = await answers.said(said)
        else:
            reply = Reply(_HELP)
        await _asked(self._bot.send_message(message.chat.id, _shortened(reply.text, _LONGEST_MESSAGE)))


def _actor(person: int) -> str:
    return f"telegram:{person}"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# What a card says


def _check_template(template: str) -> None:
    fix = f"Known are {', '.join(f'{{{name}}}' for name in _FIELDS)}; write {{{{ and }}}} for braces."
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        raise GuardhouseError(
            "approvals.telegram.template has a brace that is not closed or opened.", fix=fix
        ) from None
    names = [name for _, name, _, _ in parts if name is not None]
    for _, name, form, conversion in parts:
        if name is not None and (name not in _FIELDS or form or conversion):
            raise GuardhouseError(
                f"approvals.telegram.template has an unknown placeholder, {{{plain(name)}}}.", fix=fix
            )
    if template and not {"id", "action"}.issubset(names):
        raise GuardhouseError(
            "approvals.telegram.template leaves out {id} or {action}, so nobody would know what they approve.", fix=fix
        )
    if len(names) != len(set(names)):
        raise GuardhouseError("approvals.telegram.template has a placeholder twice.", fix="Use each once.")


def card_html(card: RemoteCard, template: str = "") -> str:
    """The card in Telegram's HTML. What is not ours is escaped, and set so that it can't look like our words. It fits
    into a message: where a template of the operator's would make it too long, ours is used."""
    values = _values(card)
    made = _filled(template, values) if template else ""
    if not template or _length(made) > _LONGEST_MESSAGE - 600:
        made = _filled(_BUILT_IN, values)
    whole = f"{_heading(card)}\n{made}"
    ways = _ways(card)
    return whole + ways if not card.is_whole or _length(whole + ways) <= _LONGEST_MESSAGE else whole


def _filled(template: str, values: dict[str, str]) -> str:
    return "".join(
        escape(literal) + (values[name] if name is not None else "")
        for literal, name, _, _ in Formatter().parse(template)
    )


def _length(html: str) -> int:
    """Characters as Telegram counts them: without tags, in units of UTF-16."""
    return len(unescape(_TAGS.sub("", html)).encode("utf-16-le", "surrogatepass")) // 2


def _heading(card: RemoteCard) -> str:
    words = "Guardhouse: may the agent do this?" if card.status is ApprovalStatus.PENDING else card.outcome
    return f"<b>{escape(_shortened(words, 400))}</b>"


def _values(card: RemoteCard) -> dict[str, str]:
    return {
        "id": f"<code>{escape(plain(card.request_id))}</code>",
        "risk": f"<b>{escape(card.risk)}</b>",
        "advice": escape(card.advice),
        "action": "\n".join(_rows(card)),
        "reasons": "\n".join(f"• <code>{escape(code)}</code> {escape(title)}" for code, title in card.reasons),
        "session": f"<code>{escape(card.session)}</code>" if card.session else "(not shown)",
        "expires": f"{moment(card.expires_at)} (asked at {moment(card.created_at)})",
        "covers": escape(card.covers),
    }


def _rows(card: RemoteCard) -> list[str]:
    """A row for each value. Names and values are code, of which clients make no links; where it is not the value
    itself but what is said of it, italics of ours say so."""
    rows = []
    for one in card.action:
        said = "" if one.is_verbatim else "<i>not shown,</i> "
        rows.append(f"<code>{escape(one.field)}</code>: {said}<code>{escape(one.text)}</code>")
    if card.unlisted:
        rows.append(f"<i>and {card.unlisted} more values</i>")
    return rows + [f"<b>!</b> <code>{escape(line)}</code>" for line in card.at_stake]


def _ways(card: RemoteCard) -> str:
    """How to approve for longer, or what can't be approved by this card."""
    if card.status is not ApprovalStatus.PENDING:
        return ""
    if card.is_whole:
        return _longer(card)
    console = f" In the console: {escape(card.link)}" if card.link else ""
    return (
        "\n\nThis is not the whole action, so it can't be approved here."
        f"{console} At a terminal: <code>{escape(card.command)}</code>"
    )


def _longer(card: RemoteCard) -> str:
    if not card.longer:
        return ""
    rows = "\n".join(
        f"<code>/approve {escape(card.request_id)} {escape(word)}</code>: {escape(covers)}"
        for word, covers in card.longer
    )
    return f"\n\nFor more than once, or on a condition:\n{rows}"


# What goes wrong


async def _asked(call: Awaitable[Any], *, unless: str = "") -> Any:
    """What Telegram answers. TryLater or Undeliverable in words of ours, with no trace of the library's, which hold the
    token; None if it refuses with the words `unless`."""
    from telegram.error import BadRequest, TelegramError

    problem: GuardhouseError
    try:
        return await call
    except BadRequest as error:
        if unless and unless in error.message.lower():
            return None
        problem = _problem(error)
    except TelegramError as error:
        problem = _problem(error)
    raise problem  # outside of the block, so that nothing leads back to what was caught


def _problem(error: telegram.error.TelegramError) -> GuardhouseError:
    from httpx import ConnectError, ConnectTimeout
    from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, InvalidToken, RetryAfter, TimedOut

    match error:
        case RetryAfter():
            wait = error.retry_after
            seconds = wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
            return TryLater("Telegram wants to be left alone for a while.", seconds=seconds)
        case Forbidden():
            return Undeliverable(
                "Telegram does not let the bot write to this person.", fix="They must start the bot, and not block it."
            )
        case BadRequest() | ChatMigrated():
            return Undeliverable("Telegram does not know the chat or the message, or refuses what it was sent.")
        case InvalidToken():
            return TryLater(
                "Telegram does not know the bot's token.",
                seconds=_BAD_TOKEN_PAUSE,
                fix="Get a new one from @BotFather.",
            )
        case Conflict():
            return TryLater(
                "Another program asks Telegram for this bot's messages, or it has a webhook.", fix="Stop that one."
            )
        case _ if isinstance(error.__cause__, (ConnectError, ConnectTimeout)):
            return TryLater("Telegram can't be reached.", stops_all=True)
        case TimedOut():
            return TryLater("Telegram did not answer in time.")
        case _:
            return TryLater("Telegram failed, or its answer makes no sense.")
