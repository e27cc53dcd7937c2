"""A talk with a guarded agent, for tests: what is said and read goes through the gate, and so does each call."""

from __future__ import annotations

import itertools

from guardhouse.model import OutputPublish, ToolCallPost, ToolCallPre, UserInput
from guardhouse.sessions import MemorySessions, session_state, traces

TOOLS = """
guard:
  own: [ada@example.com]
  tools:
    read_page: {capabilities: [reads, reads_untrusted], description: Reads a page.}
    read_inbox: {capabilities: [reads, reads_untrusted], description: Lists the mails in the inbox.}
    unread_mails: {capabilities: [reads, reads_untrusted], description: Returns unread mails and marks them as read.}
    read_profile: {capabilities: [reads, reads_private], description: Reads the user's profile.}
    send_email:
      capabilities: [sends]
      description: Sends an email.
      parameters: {properties: {to: {type: string}, subject: {type: string}, body: {type: string}}}
    send_money:
      capabilities: [spends]
      description: Sends money to an account.
      parameters: {properties: {recipient: {type: string}, amount: {type: number}, date: {type: string}}}
    delete_file: {capabilities: [writes, destructive], description: Deletes a file by its id.}
    create_note: {capabilities: [writes], description: Creates a note.}
"""


class Remembering:
    """The port of sessions, in memory."""

    def __init__(self, index=None):
        self.index = index or MemorySessions(bytes(32))

    def remember(self, session_id, remembered):
        self.index.append(session_id, remembered.event, remembered.values, remembered.objects, cut=remembered.cut)

    def state(self, session_id):
        return session_state(self.index, session_id)

    def traces(self, session_id, values):
        return traces(self.index, session_id, values)


class Talk:
    """One session of a guard."""

    def __init__(self, guard, session="s"):
        self.guard = guard
        self.session = session
        self._calls = itertools.count(1)

    def user(self, text, origin="typed"):
        self.guard.evaluate(UserInput(content=text, origin=origin, session_id=self.session))
        return self

    def showed(self, text):
        self.guard.evaluate(OutputPublish(content=text, session_id=self.session))
        return self

    def read(self, content, tool="read_page", **params):
        self.answer(content, tool, **params)
        return self

    def answer(self, content, tool="read_page", **params):
        call_id = f"c{next(self._calls)}"
        return self.guard.evaluate(
            ToolCallPost(tool=tool, content=content, params=params, session_id=self.session, call_id=call_id)
        )

    def call(self, tool, **params):
        return self.guard.evaluate(ToolCallPre(tool=tool, params=params, session_id=self.session))
