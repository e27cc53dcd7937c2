"""Which runs of digits are cards, bank accounts, telephone numbers or national ids.

A long number is most often none of these, so each must prove itself: by its check digits, by who issues such numbers,
and by how people write them. Time is bounded by the longest number there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from guardhouse.detect.sensitivity.interface import Where

_CARDS: Final = (
    # first digits from, to, lengths, who issues them
    ("34", "34", (15,), "American Express"),
    ("37", "37", (15,), "American Express"),
    ("300", "305", (14,), "Diners Club"),
    ("36", "36", (14,), "Diners Club"),
    ("38", "39", (14,), "Diners Club"),
    ("3528", "3589", (16,), "JCB"),
    ("4", "4", (13, 16, 19), "Visa"),
    ("51", "55", (16,), "Mastercard"),
    ("2221", "2720", (16,), "Mastercard"),
    ("5018", "5018", (16, 18, 19), "Maestro"),
    ("5020", "5020", (16, 18, 19), "Maestro"),
    ("5038", "5038", (16, 18, 19), "Maestro"),
    ("6304", "6304", (16, 18, 19), "Maestro"),
    ("6759", "6763", (16, 18, 19), "Maestro"),
    ("6011", "6011", (16, 19), "Discover"),
    ("644", "659", (16, 19), "Discover"),
    ("62", "62", (16, 17, 18, 19), "UnionPay"),
)
_LONGEST_CARD: Final = 19
_SPACED: Final = 19
"""How long a card of four fours is with what stands between them."""
_LONGEST_SPACED: Final = _SPACED + 4

_IBANS: Final = {
    # country: how long its account numbers are (SWIFT's registry)
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24,
    "XK": 20,
}  # fmt: skip

_CALLING_CODES: Final = frozenset(
    # ITU E.164, without those of services that are nobody's own number
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86"
    " 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237"
    " 238 239 240 241 242 243 244 245 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268"
    " 269 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 381 382 383 385"
    " 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 670 672"
    " 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 850 852 853 855 856 880 886 960 961"
    " 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 992 993 994 995 996 998".split()
)
_INVENTED: Final = ("442079460", "441614960", "441134960", "441214960", "441314960", "447700900")
"""Numbers that Ofcom keeps free for films and books; those of North America are told by their 555."""

_VOID: Final = frozenset({"078051120", "219099999", "123456789", "987654321", "111223333"})
"""Social security numbers from advertisements, and ones that only count."""
_CPF_SIZE: Final = 14
_SSN_SIZE: Final = 11


def passes_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def passes_mod_97(account: str) -> bool:
    """Whether the two digits after the country are the check digits of an account number."""
    return int("".join(str(int(char, 36)) for char in account[4:] + account[:4])) % 97 == 1


def card(data: bytes, start: int, end: int) -> Where | None:
    """A card's number: written in one piece, or in groups as on the card itself."""
    if end - start > _LONGEST_SPACED or not stands_alone(data, start, end) or _is_account(data, start):
        return None
    text = data[start:end].decode("ascii", "replace")
    separator = next((char for char in text if char in " -"), "")
    if not separator:
        return (start, end) if len(text) <= _LONGEST_CARD and _is_card(text) else None
    groups = text.split(separator)
    if not all(group.isdigit() for group in groups):
        return None
    sizes = tuple(map(len, groups))
    if sizes in ((4, 6, 5), (4, 6, 4), (4, 4, 4, 4), (4, 4, 4, 4, 3)) and _is_card("".join(groups)):
        return start, end
    # The date or the code on the back often stands behind it, and is not part of it.
    if sizes[:4] == (4, 4, 4, 4) and sizes[4:] in ((1,), (2,), (3,)) and _is_card("".join(groups[:4])):
        return start, start + _SPACED
    return None


def _is_account(data: bytes, start: int) -> bool:
    """Whether the digits are the end of an account number: `DE75 5121 0800 1245 1261`."""
    before = data[max(start - 5, 0) : start]
    return len(before) == 5 and before[:2].isupper() and before[2:4].isdigit()


def _is_card(digits: str) -> bool:
    return (
        len(set(digits)) > 1
        and any(low <= digits[: len(low)] <= high and len(digits) in sizes for low, high, sizes, _who in _CARDS)
        and passes_luhn(digits)
    )


def iban(data: bytes, start: int, end: int) -> Where | None:
    """An account number, as long as its country has them, in one piece or in fours."""
    size = _IBANS.get(data[start : start + 2].decode("ascii", "replace"))
    if size is None:
        return None
    spaced = data[start + 4 : start + 5] == b" "
    end_of_it = start + size + ((size - 1) // 4 if spaced else 0)
    text = data[start:end_of_it].decode("ascii", "replace")
    account = text.replace(" ", "")
    if end_of_it > end or len(account) != size or data[end_of_it : end_of_it + 1].isalnum():
        return None
    return (start, end_of_it) if passes_mod_97(account) else None


def national_id(data: bytes, start: int, end: int) -> Where | None:
    """A social security number of the United States, or a CPF of Brazil."""
    text = data[start:end].decode("ascii", "replace")
    if not stands_alone(data, start, end):
        return None
    digits = text.replace("-", "").replace(".", "")
    if len(text) == _SSN_SIZE:
        area, group, serial = digits[:3], digits[3:5], digits[5:]
        issued = area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"
        return (start, end) if issued and digits not in _VOID else None
    return (start, end) if len(text) == _CPF_SIZE and _is_cpf(digits) else None


def _is_cpf(digits: str) -> bool:
    if len(set(digits)) == 1:
        return False
    for size in (9, 10):
        total = sum(int(digit) * (size + 1 - place) for place, digit in enumerate(digits[:size]))
        if total * 10 % 11 % 10 != int(digits[size]):
            return False
    return True


def phone(data: bytes, start: int, end: int) -> Where | None:
    """A telephone number: with its country, or as people in North America and Britain write theirs."""
    if not stands_alone(data, start, end):
        return None
    text = data[start:end].decode("ascii", "replace")
    digits = "".join(char for char in text if char.isdigit())
    if text[0] == "+":
        return (start, end) if _is_international(text, digits) else None
    if text[0] == "0":
        return (start, end) if not f"44{digits[1:]}".startswith(_INVENTED) else None
    return (start, end) if _is_north_american(digits) else None


def _is_international(text: str, digits: str) -> bool:
    if text.count("(") != text.count(")") or text.count(".") == 1:  # +1.2345678901 is a number
        return False
    if digits[0] == "1":
        return _is_north_american(digits[1:])
    if not 9 <= len(digits) <= 15 or digits.startswith(_INVENTED) or len(set(digits[3:])) == 1:
        return False
    return any(digits[:size] in _CALLING_CODES for size in (1, 2, 3))


def _is_north_american(digits: str) -> bool:
    if len(digits) != 10 or len(set(digits)) == 1:
        return False
    return digits[0] in "23456789" and digits[3] in "23456789" and digits[1:3] != "11" and digits[3:6] != "555"


_JOINING: Final = b".-"
"""What makes a longer thing of a number and the number beyond: a version, a date, a decimal fraction."""


def stands_alone(data: bytes, start: int, end: int) -> bool:
    """Whether a run of digits is not part of a word, of a longer number, or of something made of several."""
    before, after = data[max(start - 2, 0) : start], data[end : end + 2]
    if before[-1:].isalnum() or before[-1:] == b"_" or after[:1].isalnum() or after[:1] == b"_":
        return False
    joined_before = len(before) == 2 and before[1] in _JOINING and before[:1].isdigit()
    joined_after = len(after) == 2 and after[0] in _JOINING and after[1:].isdigit()
    return not joined_before and not joined_after
