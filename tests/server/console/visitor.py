"""Somebody at a browser: what they do, in their words, and everything that their browser complains about."""

from __future__ import annotations

from playwright.sync_api import expect


class Visitor:
    def __init__(self, context, url):
        self.context = context
        self.url = url
        self.complaints = []
        self.page = self.opened_tab()

    def opened_tab(self):
        page = self.context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dialog)
        return page

    def _heard(self, message):
        # What the daemon refuses, the browser notes by itself; that is what is tested.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def _dialog(self, dialog):
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, path):
        self.page.goto(self.url + path)

    def sign_in(self, token):
        self.page.get_by_label("Token of an approver or admin").fill(token)
        self.page.get_by_role("button", name="Sign in").click()
        return self

    def signed_in(self, token):
        self.sign_in(token)
        self.is_live()
        return self

    def is_live(self):
        expect(self.page.locator("#live")).to_have_attribute("data-state", "live")

    def open(self, request_id):
        self.row(request_id).click()
        expect(self.card).to_have_attribute("data-id", request_id)
        return self

    def row(self, request_id):
        return self.page.locator(f"#row-{request_id}")

    @property
    def card(self):
        return self.page.locator("#card article")

    @property
    def outcome(self):
        return self.card.locator(".outcome")

    @property
    def approve(self):
        return self.page.locator("#card [data-approve]")

    @property
    def deny(self):
        return self.page.locator("#card .deny")

    def answer_other(self, request_id, answer):
        """Choose an answer for another request on the card."""
        self.page.locator(f"[name='other:{request_id}'][value={answer.lower()}]").check(force=True)

    def is_asked_to_sign_in(self, words=""):
        expect(self.page.locator("#sign-in")).to_be_visible()
        expect(self.page.locator("#page")).to_be_empty()
        if words:
            expect(self.page.locator("#sign-in")).to_contain_text(words)

    def is_content(self):
        """Nothing ran that should not, and nothing was forbidden that should run."""
        assert self.complaints == []
