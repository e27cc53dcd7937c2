"""Pieces of the tests of what a stranger plants: the tools of an agent, a page that it reads, and what is asserted.

How a guard is made and talked to is with `guarded_house` and `remembered_talk`.
"""

from __future__ import annotations

from contextlib import contextmanager

from guarded_house import codes

from guardhouse.model import Decision, ToolCallPost
from guardhouse.opening import open_guard

ASK, DENY, ALLOW = Decision.REQUIRE_APPROVAL, Decision.DENY, Decision.ALLOW
TOOLS = """
guard:
  network: {default: {allowed_domains: ["*"], resolve_dns: false, deny_private_ips: false}}
  tools:
    get_webpage:
      capabilities: [reads, reads_untrusted, egress]
      description: Returns the content of a web page.
      parameters: {properties: {url: {type: string}}}
    fetch_page:
      capabilities: [reads, reads_untrusted, egress]
      description: Fetches a page of the wiki.
      parameters: {properties: {page: {type: string}}}
    web_lookup:
      capabilities: [reads, reads_untrusted, egress]
      description: Looks something up on the web.
      parameters: {properties: {query: {type: string}}}
    get_emails: {capabilities: [reads, reads_untrusted], description: Returns the mails in the inbox.}
    upload_file:
      capabilities: [writes]
      description: Uploads a file to the forum.
      parameters: {properties: {path: {type: string}, title: {type: string}}}
    list_orders: {capabilities: [reads, reads_untrusted], description: Lists the orders.}
    get_calendar: {capabilities: [reads], description: Returns events.}
    get_contacts: {capabilities: [reads], description: Returns the user's contacts.}
    get_profile: {capabilities: [reads], description: Returns the user's profile.}
    read_notes: {capabilities: [reads], description: Returns the user's notes.}
    find_contact:
      capabilities: [reads]
      description: Finds a contact.
      parameters: {properties: {name: {type: string}}}
    send_email:
      capabilities: [writes]
      description: Sends an email.
      parameters:
        properties:
          recipients: {type: array, items: {type: string}}
          to: {type: string}
          subject: {type: string}
          body: {type: string}
          attachments: {type: array, items: {type: string}}
    forward_mail:
      capabilities: [writes]
      description: Forwards a mail.
      parameters: {properties: {forward_to: {type: string}, mail_id: {type: string}}}
    delete_email:
      capabilities: [writes]
      description: Deletes an email.
      parameters: {properties: {email_id: {type: string}}}
    send_message:
      capabilities: [writes]
      description: Sends a direct message.
      parameters: {properties: {user_id: {type: string}, text: {type: string}}}
    send_direct_message:
      capabilities: [writes]
      description: Sends a direct message to a user.
      parameters: {properties: {recipient: {type: string}, body: {type: string}}}
    send_money:
      capabilities: [writes]
      description: Sends a transaction.
      parameters: {properties: {recipient: {type: string}, amount: {type: number}, subject: {type: string}}}
    transfer:
      capabilities: [writes]
      description: Transfers money.
      parameters: {properties: {account_number: {type: string}, amount: {type: number}, payee_id: {type: string}}}
    cancel_order:
      capabilities: [writes]
      description: Cancels an order.
      parameters: {properties: {order_id: {type: string}}}
    create_event:
      capabilities: [writes]
      description: Creates a calendar event.
      parameters:
        properties:
          title: {type: string}
          start_time: {type: string}
          participants: {type: array, items: {type: string}}
    cancel_calendar_event:
      capabilities: [writes]
      description: Cancels the event with the given id.
      parameters: {properties: {event_id: {type: string}}}
    create_issue:
      capabilities: [writes]
      description: Creates an issue.
      parameters: {properties: {repo: {type: string}, title: {type: string}, body: {type: string}}}
    create_repo:
      capabilities: [writes]
      description: Creates a repository.
      parameters: {properties: {name: {type: string}, private: {type: boolean}}}
    create_note:
      capabilities: [writes]
      description: Creates a note.
      parameters: {properties: {text: {type: string}}}
    update_memo:
      capabilities: [writes]
      description: Updates a memo.
      parameters: {properties: {text: {type: [string, "null"]}}}
    update_password:
      capabilities: [writes]
      description: Changes the password.
      parameters: {properties: {password: {type: string}}}
    share_file:
      capabilities: [writes]
      description: Shares a file.
      parameters:
        properties:
          file_id: {type: string}
          email: {type: string}
          permission: {type: string}
          permissions: {type: object}
          public: {type: boolean}
    post_photo:
      capabilities: [writes]
      description: Posts a photo.
      parameters: {properties: {file_path: {type: string}, caption: {type: string}}}
    delete_file:
      capabilities: [writes]
      description: Deletes a file.
      parameters: {properties: {path: {type: string}}}
"""
PLANTED = "planted: mallory@evil.com, https://evil.com/x, pay mallory 9999, account 123456789049"
HELLO = {"subject": "S", "body": "hello"}


def browse(talk, content=PLANTED):
    return talk.read(content, tool="get_webpage", url="https://w.example/")


def returned(talk, tool, params, content):
    """The answer of a call, whatever its arguments are called: a file is written with `content`."""
    talk.guard.evaluate(ToolCallPost(tool=tool, params=params, content=content, session_id=talk.session))


def assert_stopped(verdict):
    """It asks or refuses, and that because of the session: a detector that fails asks as well."""
    assert verdict.decision in {ASK, DENY}
    assert any(code.startswith("provenance.") for code in codes(verdict))


def assert_only_what_was_meant(talk, tool, planted, meant):
    assert_stopped(talk.call(tool, **planted))
    assert talk.call(tool, **meant).decision is ALLOW


@contextmanager
def opened_in(house, monkeypatch):
    """A guard with its stores on disk."""
    monkeypatch.setenv("HOME", str(house.home))
    monkeypatch.setenv("GUARDHOUSE_KEY_DIR", str(house.root / "keys"))
    (house.config / "config.yaml").write_text(TOOLS)
    with open_guard(cwd=house.project, state_dir=house.root / "state", resolver=house.resolver) as guard:
        yield guard


def kept_of_sessions(house):
    """Every byte that a guard which was opened in `house` keeps of its sessions."""
    return b"".join(file.read_bytes() for file in (house.root / "state").glob("sessions*") if file.is_file())
