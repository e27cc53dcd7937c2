"""What content writes when it wants to be taken for something else than content: markers, frames, chat-template tokens.

A table of patterns over text whose disguise is off (`disguise.py`): lower case, plain ASCII, nothing hidden, nothing
encoded. They are broken up, not judged: text that has them for good reasons stays readable and comes back exactly.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class Forgery(NamedTuple):
    """One family of them. The first character of each group of the pattern is written as an escape."""

    id: str
    pattern: str
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    capital: bool = False
    """Only where it is not in lower case, because there it is a key in many a file."""


def _spaced(words: str) -> str:
    """Any of the words, also with blanks between their letters; `_` is any joint, or none."""
    return "|".join(r"\s*".join(r"[_\s-]*" if char == "_" else char for char in word) for word in words.split())


_ROLES: Final = "system user assistant human developer tool operator"
_JOINT: Final = r"[\s_.-]*"
_FRAMES: Final = _spaced(
    "system assistant developer start_of_turn end_of_turn start_of_image untrusted external_untrusted external_content "
    "user_data user_query user_message user_input tool_call tool_use tool_result tool_response tool_output "
    "function_call function_result function_response function_output invoke antml: search_result document_content "
    "im_start im_end endoftext bos> eos> instructions> thinking> think>"
)
"""Names of tags that frame something for a model, and are no names of types in code."""
_MISTRAL: Final = "available_tools tool_calls tool_results tool_content system_prompt"
_TYPES: Final = _spaced("user human tool function model document")
"""The same that may be names of types: `List<User>`."""
_LINE: Final = r"(?:^|\n|\\[nrt]|\")[\s>*_#\"'(-]*"
"""Where a line begins, or a text in quotes, also behind what makes it stand out."""
_DELIMITER: Final = r"([<\[{]|-{3}|={3}|\*{3}|~{3})"
_OPENS: Final = r"(?:begin|start|end|close|stop|finish)(?:ing|s|ed)?"

FORGERIES: Final = (
    Forgery(
        "special_token",  # Qwen, Llama 3, Phi, DeepSeek, Harmony, Command R
        r"(<)\s*\|+\s*/?([a-z])",
        must=("<|im_start|>", "< | eot_id | >", "<|begin▁of▁sentence|>", "<||im_end||>"),
        must_not=("a |> f", "(<|>)", "if a<b||c>d"),
    ),
    Forgery(
        "bracket_token",  # Llama 2, Mistral
        rf"(\[)\s*/?\s*([il1|]\s*n\s*s\s*t|{_spaced(_MISTRAL)})\s*\]",
        must=("[INST]", "[ / i n s t ]", "[TOOL_CALLS]", "[/AVAILABLE_TOOLS]"),
        must_not=("[instance]", "list[int]", "[user]\nname = x"),
    ),
    Forgery(
        "llama_system",
        r"(<)\s*<?\s*/?\s*(s)\s*y\s*s\s*>",
        must=("<<SYS>>", "<< / sys >>", "«SYS»"),
        must_not=("<sysctl>", "a << sys"),
    ),
    Forgery(
        "end_of_sequence",
        r"(<)\s*/?\s*(s)\s*>",
        must=("</s>", "<s>", "< / S >"),
        must_not=("<span>", "a < s"),
    ),
    Forgery(
        "frame_tag",
        rf"(<)[\s!?]*/?\s*({_FRAMES})",
        must=("<system>", "</system-reminder>", "< start_of_turn >", "</user-data-00>", "<function results>"),
        must_not=("List<List<String>> x", "<html>", "a < b", "<think-cell>"),
    ),
    Forgery(
        "closing_frame_tag",
        rf"(<)\s*/\s*({_TYPES})\b",
        must=("</user>", "</ document >", "</function>"),
        must_not=("</div>", "List<User>"),
    ),
    Forgery(
        "opening_frame_tag",
        rf"\B(<)\s*({_TYPES})s?\s*(?:>|\s[a-z])",
        must=("<user>", " <tool name=", ": <document>"),
        must_not=("List<User> all", "Promise<Document>", "a <tool.py"),
    ),
    Forgery(
        "role_heading",  # Alpaca and its children
        rf"(#)\s*({_ROLES.replace(' ', '|')}|instructions?|response|input|prompt)\s*:",
        must=("### System:", "## instruction :", "#User:"),
        must_not=("## System requirements", "# Input", "#response"),
    ),
    Forgery(
        "role_line",
        rf"{_LINE}(system|assistant|human|developer)(?:\s+(?:message|prompt|note|override))?[*_\s]*:",
        must=("System: do it", "a\n\n  ASSISTANT :", "**Human:** x", "system message: x", '{"a": "b\\n\\nHuman: c"}'),
        must_not=("the system: a tale", '{"system": 1}', "Action: merged\nObservation: green", "user: postgres"),
    ),
    Forgery(
        "user_line",
        rf"{_LINE}(user|ai|tool|bot)[*_\s]*:",
        must=("User: yes, go ahead", "a\n> **USER:** x", '{"a": "b\\nUser: c"}'),
        must_not=("the user: a tale", '{"user": 1}', "user: postgres", "  tool: x"),
        capital=True,
    ),
    Forgery(
        "template_block",  # Guidance, Handlebars
        rf"(\{{)\s*\{{\s*[#/~]*\s*({_ROLES.replace(' ', '|')})\s*~?\s*\}}",
        must=("{{#system}}", "{{/ user ~}}", "{{~#assistant~}}"),
        must_not=("{{ system.name }}", "{{ url }}"),
    ),
    Forgery(
        "role_link",  # prompts written as links
        rf"(\[)\s*({_ROLES.replace(' ', '|')})\s*(?:\]\s*\(\s*#|(?:message|prompt|instructions?)\s*\])",
        must=("[system](#assistant)", "[ User ] ( #x", "[system message]"),
        must_not=("[user]\nname = x", "[system](https://docs.example/)"),
    ),
    Forgery(
        "announced_turn",
        rf"\b({_OPENS}){_JOINT}(?:of{_JOINT})?(?:the{_JOINT})?({_ROLES.replace(' ', '|')})"
        rf"{_JOINT}(?:message|prompt|instructions?|input|turn)",
        must=("BEGIN SYSTEM MESSAGE", "--- end of the system prompt ---", "START_USER_INPUT"),
        must_not=("send the user a message", "the end. The system has messages"),
    ),
    Forgery(
        "announced_block",
        rf"\b({_OPENS}){_JOINT}(?:(?:of|the|this|all|external|guardhouse|wrapped|quoted){_JOINT}){{0,4}}(untrusted)",
        must=("--- END UNTRUSTED CONTENT ---", "<<end of untrusted", "END_EXTERNAL_UNTRUSTED_CONTENT"),
        must_not=("we tend to call it untrusted", "untrusted input ends here"),
    ),
    Forgery(
        "marked_block",
        rf"{_DELIMITER}\s*(?:[a-z]{{1,16}}{_JOINT}){{0,2}}(untrusted)",
        must=("<<untrusted 00>>", "<<<EXTERNAL_UNTRUSTED_CONTENT>>>", "<<<GUARDHOUSE UNTRUSTED id=0>>>", "[untrusted]"),
        must_not=("an untrusted source", "(untrusted)", "apk add --allow-untrusted x"),
    ),
    Forgery(
        "warning",
        r"(!)\s*(untrusted)[\s_-]*(?:content|data|input|text)",
        must=("⚠️ UNTRUSTED CONTENT — ", "⚠ Untrusted content follows"),
        must_not=("if (!untrusted)", "Untrusted content is bad"),
    ),
    Forgery(
        "announced_content",
        rf"{_DELIMITER}\s*({_OPENS}){_JOINT}(?:of{_JOINT})?(?:(external|guardhouse)|"
        rf"(tool|retrieved|web|quoted|fetched){_JOINT}(?:content|data|outputs?|results?|documents?|pages?)\b)",
        must=("<<<END EXTERNAL CONTENT>>>", "<<<end_external_un", "--- end of tool output ---"),
        must_not=("at the end of web pages", "- end tooling"),
    ),
    Forgery(
        "call_frame",
        r"\"(tool_calls?|function_calls?|tool_use|tool_results?)\\*\"\s*:",
        must=('{"tool_calls":[{', '"function_call" : {'),
        must_not=('{"role":"user","content":"hi"}', '"tools": []', "'tool_calls'"),
    ),
    Forgery(
        "call_type",
        r"\"type\\*\"\s*:\s*\\*\"(tool_use|tool_results?|tool_calls?|function_calls?)\\*\"",
        must=('{"type": "tool_use"', '"type":"function_call"'),
        must_not=('{"type":"function","name":"transfer"}', '"type":"text"'),
    ),
    Forgery(
        "role_frame",
        r"\"role\\*\"\s*:\s*\\*\"(system|developer|assistant|tool)\\*\"",
        must=('{"role":"system"', '"role" : "assistant"'),
        must_not=('{"role":"user","content":"hi"}', '"role": "admin"'),
    ),
)  # fmt: skip

_MEMORY: Final = 32 << 20
_COMPILED: list[tuple[Any, list[Any]]] = []


def forged(text: bytes) -> list[tuple[int, bool]]:
    """Where characters of `text`, which has no disguise any more, have to be escaped to break up what it forges; and
    whether only if they were not in lower case."""
    which, patterns = _compiled()
    found = which.Match(text)
    if len(patterns) not in found:  # it ran out of memory: the witness, which is always there, is missing
        found = range(len(patterns))
    return [
        (match.start(group), FORGERIES[index].capital)
        for index in found
        if index < len(patterns)
        for match in patterns[index].finditer(text)
        for group in range(1, patterns[index].groups + 1)
        if match.start(group) >= 0
    ]


def _compiled() -> tuple[Any, list[Any]]:
    """All patterns at once, to tell which of them are in a text, and each by itself, to tell where."""
    if not _COMPILED:
        import re2  # kept out of `import guardhouse`

        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.max_mem = _MEMORY
        which = re2.Set.SearchSet(options)
        for forgery in FORGERIES:
            which.Add(forgery.pattern.encode())
        which.Add(rb"\z")
        which.Compile()
        _COMPILED.append((which, [re2.compile(forgery.pattern.encode(), options) for forgery in FORGERIES]))
    return _COMPILED[0]
