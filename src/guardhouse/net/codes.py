"""The reason codes of destinations: why a URL is refused, in words for the person and for the agent."""

from __future__ import annotations

from typing import Final

from guardhouse.model import ReasonCode, Severity

CODES: Final = (
    ReasonCode(
        id="non_allowlisted_domain",
        title="This destination is not allowed",
        severity=Severity.HIGH,
        why="Data sent to a host that nobody approved can't be taken back.",
        instead="Use a host that is allowed, or finish without this request.",
        example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://paste.example/upload"}}',
        remedy="domain",
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
    ReasonCode(
        id="private_ip",
        title="The destination is a private or local address",
        severity=Severity.HIGH,
        why="Machines inside a network, and the metadata services of clouds, trust whoever can reach them.",
        instead="Use a public address, or ask the person to fetch what you need.",
        example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"http://169.254.169.254/latest/meta-data/"}}',
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
    ReasonCode(
        id="dns_failure",
        title="The host name could not be resolved",
        severity=Severity.HIGH,
        why="A destination whose addresses are not known can't be judged.",
        instead="Check the spelling of the host, or try again later.",
        example="A url_fetch of an allowlisted host whose name the resolver does not know.",
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
    ReasonCode(
        id="url.scheme",
        title="The URL's scheme is not one for the web",
        severity=Severity.HIGH,
        why="file:, gopher:, javascript: and their like read local files, speak to local services, or run code.",
        instead="Use an https URL.",
        example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"file:///etc/passwd"}}',
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
    ReasonCode(
        id="url.userinfo",
        title="The URL carries a user name or password",
        severity=Severity.HIGH,
        why="What stands before the @ leaks as a credential, or passes for the host it is not.",
        instead="Leave it out of the URL; send credentials the way the service documents.",
        example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://example.com@paste.example/"}}',
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
    ReasonCode(
        id="url.odd_address",
        title="The host is an address in an unusual spelling",
        severity=Severity.HIGH,
        why="Octal, hexadecimal and shortened addresses are read differently by different programs, and are mostly "
        "used to get past a check.",
        instead="Write the address as four decimal numbers, or use the host's name.",
        example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"http://2130706433/"}}',
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
    ReasonCode(
        id="url.ambiguous",
        title="The URL can be read in more than one way",
        severity=Severity.HIGH,
        why="What is checked and what is requested would not be the same.",
        instead="Write the URL in its plain form: no backslashes, white space, invisible or look-alike characters, "
        "and no escaped dots in the path.",
        example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://example.com\\\\@paste.example/"}}',
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
    ReasonCode(
        id="url.invalid",
        title="The URL is not valid",
        severity=Severity.HIGH,
        why="A destination that can't be read can't be judged.",
        instead="Write the URL in full: scheme, host and path.",
        example='{"type":"ToolCallPre","tool":"url_fetch","params":{"url":"https://example.com:99999/"}}',
        about="host",
        on=("ToolCallPre", "SkillRunPre"),
    ),
)

CLIENT_CODES: Final = (
    ReasonCode(
        id="net.request_refused",
        title="The request is not one that the client sends",
        severity=Severity.MEDIUM,
        why="A header for the host, the connection or another method would make a server take the request for "
        "something else than was judged.",
        instead="Leave the header out, and use one of the usual methods.",
        example="A url_fetch with a header `Host`, or with a line break in a header.",
        about="host",
    ),
    ReasonCode(
        id="net.redirect_refused",
        title="A redirect was not followed",
        severity=Severity.MEDIUM,
        why="An allowed host that sends requests elsewhere decides where data goes, in place of the allowlist.",
        instead="Fetch the other URL by itself, if it is what you want.",
        example="With follow_redirects, a url_fetch that is sent on to another host.",
        about="host",
    ),
    ReasonCode(
        id="net.response_too_large",
        title="The answer is larger than may be read",
        severity=Severity.MEDIUM,
        why="A small answer can unpack to more than the machine has memory for.",
        instead="Ask for a part of it.",
        example="A url_fetch of ten kilobytes that unpack to ten gigabytes.",
        about="host",
    ),
    ReasonCode(
        id="net.response_unreadable",
        title="The answer is packed in a way that is not read",
        severity=Severity.MEDIUM,
        why="What is packed twice, in an unknown way or incompletely can't be unpacked within limits, or not in one "
        "way only.",
        instead="Ask for another form of it.",
        example="A url_fetch whose answer has `Content-Encoding: gzip, gzip`.",
        about="host",
    ),
    ReasonCode(
        id="net.too_slow",
        title="The answer did not come in time",
        severity=Severity.MEDIUM,
        why="A server that sends a byte now and then could keep a caller waiting for ever.",
        instead="Try again later, or ask for less.",
        example="A url_fetch from a server that sends one byte a second.",
        about="host",
    ),
)
"""Why the guarded client stops. It says so itself: no configuration speaks of these."""
