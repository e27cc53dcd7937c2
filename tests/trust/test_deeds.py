"""What a name or a description says of a tool is the least that it can do."""

import pytest

from guardhouse.trust import Capability, ToolCatalogue, ToolDescription

SENDS, SPENDS, DESTRUCTIVE = Capability.SENDS, Capability.SPENDS, Capability.DESTRUCTIVE
WEIGHTY = frozenset({SENDS, SPENDS, DESTRUCTIVE})
READS = frozenset({Capability.READS})

BY_NAME = {
    SENDS: "send_email sendMessage mail_send gmail_send_now post_tweet reply_to publish_page share_file email_customer "
    "forward_mail invite_user notify_team mcp__mail__sendMessage mcp__chat__post_message schedule_send",
    SPENDS: "pay_bill make_payment purchase_item buy transfer_money wallet_pay book_table order_pizza send_money "
    "mcp__bank__transfer_funds refund_order",
    DESTRUCTIVE: "delete_rows remove_user drop_table orders.cancel wipe_disk mail_delete get_and_delete_message "
    "mcp__db__purgeAll revoke_key cancel_order uninstall_app",
}
NOTHING = (
    "list_deleted_files get_order order_status share_price text_search call_tool create_order post_list book_search "
    "get_shared_files mail_open message_read search_mail get_payment_status list_transfers git_commit read_email "
    "email_search describe_deletion transfer_status draft_email mcp__mail__get_message notes_write app_install"
)


@pytest.mark.parametrize(
    ("capability", "name"), [(one, name) for one, names in BY_NAME.items() for name in names.split()]
)
def test_a_name_that_says_what_is_done_adds_that(capability, name):
    assert capability in ToolCatalogue().profile(name).capabilities
    declared = ToolCatalogue({name: READS}).profile(name)
    assert declared.classified
    assert declared.capabilities >= READS | {capability}


@pytest.mark.parametrize("name", NOTHING.split())
def test_a_name_that_only_looks_or_is_about_such_things_adds_nothing(name):
    assert ToolCatalogue({name: READS}).profile(name).capabilities == READS


@pytest.mark.parametrize(
    ("description", "added"),
    [
        ("Sends a mail.", {SENDS}),
        ("Send a message to a channel", {SENDS}),
        ("Deletes the file", {DESTRUCTIVE}),
        ("Finds duplicates and removes them.", {DESTRUCTIVE}),
        ("Books a table and emails the owner", {SPENDS, SENDS}),
        ("Looks up the card.\nCharges the card; then notifies the customer", {SPENDS, SENDS}),
        ("Transfers money between accounts", {SPENDS}),
        ("Lists emails of the user.", set()),
        ("Order of the rows. Email address of the owner. Share of the market.", set()),
        ("Get who sends mail to whom, and when it was sent", set()),
        ("Transfers of the last week", set()),
        ("", set()),
    ],
)
def test_a_description_that_says_what_is_done_adds_that_and_nothing_else(description, added):
    said = {"frob": ToolDescription(description=description)}
    profile = ToolCatalogue({"frob": READS}, described=said).profile("frob")
    assert profile.capabilities & WEIGHTY == added
    assert profile.capabilities >= READS


def test_well_known_tools_are_what_they_are():
    assert ToolCatalogue().profile("delete_file").capabilities == {Capability.WRITES, DESTRUCTIVE}
    assert ToolCatalogue().profile("replace").capabilities == {Capability.WRITES}
