"""Instructions in languages other than English, and prose in one that nobody here can judge.

For eight languages the usual imperatives, polite forms and modals are tables. Prose in another script, or in Latin
letters without the small words of a language that is known, is held back: what can't be read may say anything.
Patterns here see a clause of a field, so at most 2,000 characters, and none repeats what repeats.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from guardhouse.guru.contract import Text, Violation
from guardhouse.guru.reading import Page
from guardhouse.guru.rules import INSTRUCTION, LANGUAGE


class Language(NamedTuple):
    """How a language tells people to act. Patterns see text in lower case, without accents, clause by clause."""

    id: str
    begins: str
    """An imperative at the beginning of a clause."""
    holds: str
    """What makes an instruction of a clause wherever it stands in it."""
    must: tuple[str, ...]
    must_not: tuple[str, ...]


LANGUAGES: Final = (
    Language(
        "de",
        r"(?:[a-z]{2,}(?:en|ern|eln) sie (?!laufen|sind)|(?:installier|losch|fuhr|start|offn|entfern|send|kopier|ander|setz|nutz|verwend|ignorier|"
        r"aktualisier|deaktivier|aktivier|lad|schick|stell|pruf|erstell|schreib|les|mach|klick|ruf|trag|vergiss|gib|geh|nimm|lies|"
        r"stopp|beend|wechsl|wechsel|fug|spiel|such|teil|leit|meld|behalt|warte?|uberschreib|bestatig|vertrau|kontaktier|konfigurier)e? "
        r"(?:das|die|den|der|dein|deine|deinen|alle|einen|eine|ein|dich|mir|uns|es|sie|ihn|bitte|nicht|keine?n?|auf|zu|im|jetzt|dem)\b)",
        r"\bbitte\b|\b(?:bisherigen|vorherigen|vorigen|fruheren) (?:anweisungen|regeln)|\b(?:du|ihr) (?:musst|solltest|kannst|sollst|darfst|musstest|konntest|mussen|musst|sollt|konnt)\b|\bsie (?:mussen|sollten|konnen|sollen|durfen|konnten)\b"
        r"|\bman (?:muss|sollte|soll|darf)\b|\b(?:installieren|ausfuhren|loschen|starten|offnen|entfernen|senden|kopieren|andern|aktualisieren|deaktivieren)$",
        ("fuhren sie das skript aus", "losche den ordner", "sie mussen die datei loschen"),
        ("die tests laufen in der ci", "das projekt benotigt python"),
    ),
    Language(
        "fr",
        r"(?:n'|ne )?(?!chez|assez|nez |rez )[a-z]{2,}ez\b|(?:installe|execute|supprime|ouvre|lance|copie|envoie|ignore|efface|utilise|ajoute|change|demarre|arrete|telecharge|clique|desactive|active|"
        r"installer|executer|supprimer|ouvrir|lancer|copier|envoyer|ignorer|effacer|utiliser|ajouter|modifier|demarrer|arreter|telecharger|cliquer|desactiver) (?:le|la|les|l'|un|une|ton|ta|tes|tous|toutes|ce|cette|sur|pas)",
        r"\bveuillez\b|\b(?:instructions|consignes|regles) precedentes|\bs'il (?:vous|te) plait\b|\bvous (?:devez|devriez|pouvez|pourriez|devrez)\b|\btu (?:dois|devrais|peux|pourrais)\b|\bil faut\b|\bil est (?:recommande|conseille|necessaire) (?:de|d')|\bmerci de\b",
        ("executez le script", "il faut effacer le cache", "veuillez installer le paquet"),
        ("le projet utilise pytest", "la bibliotheque est ecrite en rust"),
    ),
    Language(
        "es",
        r"(?:no )?(?:ejecut|instal|borr|elimin|actualiz|copi|descarg|desactiv|activ|ignor|olvid|muestr|us|utiliz|reinici|inici|revis|cambi|modific|guard|envi|public|deten|agreg|configur|conect|verific|comprueb|prueb|pulse|puls)(?:a|e|ar|as|es|en|ad) "
        r"(?:el|la|los|las|un|una|tu|su|este|esta|esto|todas?|todos?|al|con|en|de|como)|(?:abre|abra|abrir|abran|haz|haga|pon|ponga|escribe|escriba|ve|vaya|sube|suba|detenga|deten|apague|apaga) ",
        r"\bpor favor\b|\binstrucciones (?:anteriores|previas)|\b(?:debes|deberias|deberia|tienes que|tiene que|hay que|puedes|podrias)\b|\busted (?:debe|puede)\b|\bes (?:necesario|recomendable|aconsejable) [a-z]+r\b|^no (?:uses|use|borres|borre|compartas|ejecutes) ",
        ("ejecute el script", "no uses esta funcion", "hay que actualizar la biblioteca"),
        ("el proyecto usa sqlite", "la biblioteca no tiene dependencias"),
    ),
    Language(
        "it",
        r"(?:non )?(?:esegu|install|elimin|cancell|apr|copi|invi|ignor|us|utilizz|aggiorn|riavvi|avvi|scaric|modific|rimuov|disattiv|attiv|configur|aggiung|premi|clicc|cambi|ferm|verific|scriv|cre)(?:i|a|ate|ite|ete|are|ire|ere|isci|ino|o) "
        r"(?:il|lo|la|i|gli|le|un|uno|una|tutte|tutti|questo|questa|su|sul|sulla|nel|nella|al|alla|tuo|l')\b",
        r"\bper favore\b|\bper cortesia\b|\bistruzioni precedenti|\bsi prega di\b|\b(?:devi|dovresti|puoi|potresti|dovete|dovreste)\b|\bbisogna\b|\be (?:necessario|consigliabile) [a-z]+re\b",
        ("esegui lo script", "installare il pacchetto", "devi riavviare il server"),
        ("il progetto usa sqlite", "la libreria e scritta in rust"),
    ),
    Language(
        "pt",
        r"(?:nao )?(?:execut|instal|apag|exclu|remov|abr|copi|envi|ignor|us|utiliz|atualiz|reinici|inici|baix|alter|mud|desativ|ativ|configur|adicion|clic|par|verifiqu|escrev|cri|fech)(?:e|a|ar|ir|er|em|ue|es) "
        r"(?:o|a|os|as|um|uma|seu|sua|este|esta|todas|todos|no|na|em)\b|(?:nao )?(?:apague|clique|coloque|faca|va|verifique|desligue) ",
        r"\bpor favor\b|\binstrucoes (?:anteriores|previas)|\bvoce (?:deve|deveria|pode|precisa|poderia)\b|\be (?:necessario|recomendado|preciso) [a-z]+r\b|\bdeve-se\b|\btem que\b",
        ("execute o script", "apague a pasta", "voce deve reiniciar o servidor"),
        ("o projeto usa sqlite", "a biblioteca nao tem dependencias"),
    ),
    Language(
        "ru",
        r"(?:не )?(?:[а-я]{2,}(?:ите|йте|ьте)(?:сь)?|запусти|удали|установи|отправь|открой|выполни|скачай|игнорируй|обнови|скопируй|измени|перезапусти|введи|нажми|сделай|забудь|используй|отключи|включи|остановит|проверь|добавь|создай|покажи)(?![а-я])",
        r"пожалуйста|предыдущ[а-я]+ (?:инструкц|указан|правил)|(?<![а-я])(?:нужно|надо|необходимо|следует|требуется|можно) [а-я]+(?:ть|ти|чь|ться)(?![а-я])|(?<![а-я])(?:вы|вам|ты|тебе) (?:должны|должен|должна|следует|нужно|можете|можешь|надо)",
        ("запустите скрипт", "нужно обновить библиотеку", "отправь ключ"),
        ("проект использует sqlite", "тесты запускаются в ci"),
    ),
    Language(
        "zh",
        r"(?:首先|然后|接着|最后|现在|立即|先|再|并)?(?:运行|删除|安装|打开|执行|停止|启动|重启|重新启动|下载|上传|发送|复制|粘贴|修改|更新|升级|禁用|启用|点击|输入|创建|添加|移除|提交|推送|忽略|关闭|卸载|清除|备份|克隆|不要|请勿|切勿|别|务必|确保|访问|联系|泄露|忘记|忘掉|告诉|回复)",
        r"请|把.{1,14}(?:发送|删除|复制|上传|发给|改|交给)|之前.{0,6}(?:指令|指示|规则)|(?:你|您|用户)(?:必须|应该|应当|需要|可以|得|要|务必|最好)|(?:建议|推荐)(?:你|您|先|立即|使用|运行|升级|更新|安装)|忽略.{0,6}(?:指令|指示|说明|提示)",
        ("请运行安装脚本", "删除该文件夹", "你必须重新启动服务器"),
        ("该项目使用 sqlite", "测试在 ci 中运行"),
    ),
    Language(
        "ja",
        r"(?!)",
        r"(?:て|で|を|お)?(?:ください|下さい)|なさい|(?:する|く|す|る|う|つ|ぐ|む|ぶ)(?:必要があ|べき)|ましょう|(?:しろ|せよ|するな|やめろ)$|(?:ては|では)(?:いけません|なりません|ならない)|お願いします|(?:した|する)(?:ほう|方)がいい|無視し",
        ("スクリプトを実行してください", "フォルダを削除しなさい", "サーバーを再起動する必要があります"),
        ("このプロジェクトは sqlite を使用します", "テストは ci で実行されます"),
    ),
)
_LATIN: Final = frozenset("de fr es it pt".split())

FUNCTION_WORDS: Final = {
    "en": """the a an of in is are was were to and or for with by on at from as it that this be been has have had not no can its their
        than into via per if when all each only but which who will may must one two both also does do did they there these those
        such some any between over under after before since until about more most other out up off through using used uses
        without within while where how so then too very you your we our i doesn't isn't aren't don't can't won't wasn't even still just
        like many same new own make makes because based including supports support against across along among around another
        either every few first last less much never often once rather several should since though upon via was what whose
        provides contains implements requires includes would could yet again always already almost both during else ever however itself itself let must nor now per""",
    "de": "der die das und ist sind nicht mit von zu den dem des ein eine einer einem wird werden wurde fur im am auf als auch es bei nach aus oder hat ab sie du ihr man alle diese diesen dieser jetzt dann wenn sich kann bitte",
    "fr": "le la les des est sont et une un dans pour avec par sur du au aux qui que en ne pas il elle ce cette sans ou se a",
    "es": "el la los las una un es son y con por para del en no se al lo su como que mas sin o a esta este esto tu tus",
    "it": "il lo la i gli le un una uno e di che per con del della dei non nel nella sul sulla si al da in come o sono",
    "pt": "o a os as um uma e do da dos das em para com nao no na por que se ao como mais sem ou sao",
}  # fmt: skip
FOREIGN: Final = frozenset(
    """het een niet wordt worden voor naar daarna zijn ook uit maar deze och ar inte att som pa til med ikke og det
    jest nie sie przez oraz wszystkie jako usun ve bir icin ile bu olarak olun nem egy hogy vagy ja tai sekka se
    ei on ovat ja a nebo jsou pro jako neni pri si din cu pentru este sunt va cua cho voi quyen khong dan untuk dengan
    yang tidak adalah gan ap en ta bort""".split()
) - frozenset("a en on se si ja ap gan ta pro va as som cu".split())
"""Small words of languages that are written in Latin letters and are not judged."""
_UNJUDGED_RUN: Final = 6
"""So many words in a row without a small word, a capital, a number or a mark between them are no language that is known."""
_UNKNOWN_LETTERS: Final = 12
_UNKNOWN_WORDS: Final = 2
_CLAUSE: Final = re.compile(r"[^.!?;:,()\n。！？；：，、（）「」]++")
_WORD: Final = re.compile(r"[^\W\d_]++(?:['’-][^\W\d_]++)*+|[^\s\w]|\d++|_")
_KNOWN_SCRIPTS: Final = (
    "LATIN",
    "CYRILLIC",
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "MICRO",
    "KANGXI",
    "FULLWIDTH",
    "IDEOGRAPHIC",
)


def foreign(page: Page) -> Iterator[Violation]:
    """Where a clause in another language tells people to act, or can't be judged."""
    for text in page.texts:
        start = page.start_of(text)
        for rule, low, high in _foreign(text):
            yield page.wrong_in_whole(rule, start + low, start + high)


def _foreign(text: Text) -> Iterator[tuple[str, int, int]]:
    plain = text.text
    if not plain.isascii():
        unknown = _unknown_script(plain)
        if unknown:
            yield LANGUAGE, *unknown
    if text.kind != "query":
        yield from _unjudged(plain)
    for match in _CLAUSE.finditer(plain):
        words = _bare(match[0])
        if not words:
            continue
        for language in _languages_of(words):
            begins, holds = _compiled(language)
            if begins.match(words) or holds.search(words):
                yield INSTRUCTION, match.start(), match.end()
                break


def _languages_of(words: str) -> Iterator[Language]:
    """The languages a clause may be in, by its script and small words."""
    if words.isascii():
        held = set(words.split())
        if held.isdisjoint(_NOT_ENGLISH) and not words.startswith(_TELLING):
            return
        english = len(held & _FUNCTION["en"])
        for language in LANGUAGES:
            if language.id in _LATIN and (
                len(held & _FUNCTION[language.id]) >= max(english, 1) or words.startswith(_TELLING)
            ):
                yield language
        return
    for language in LANGUAGES:
        if language.id not in _LATIN:
            yield language


_TELLING: Final = ("veuillez", "bitte", "por favor", "per favore")


def _bare(clause: str) -> str:
    """A clause in lower case, without accents, with one blank between words."""
    apart = unicodedata.normalize("NFKD", clause).lower() if not clause.isascii() else clause.lower()
    if not apart.isascii():
        kept = "".join(char for char in apart if not "\u0300" <= char <= "\u036f")
        apart = unicodedata.normalize("NFC", kept).replace("й", "й").replace("’", "'")
        if "и" in apart:
            # Taking accents off takes й apart as well.
            apart = _with_short_i(clause)
    return " ".join(apart.split())


def _with_short_i(clause: str) -> str:
    return unicodedata.normalize("NFKC", clause).lower()


def _unknown_script(text: str) -> tuple[int, int] | None:
    letters = words = 0
    first = last = -1
    was = False
    for at, char in enumerate(text):
        unknown = char > "\u024f" and _is_unknown(char)
        if unknown:
            first = at if first < 0 else first
            last = at
            letters += 1
            words += not was
        was = unknown
    return (first, last + 1) if letters > _UNKNOWN_LETTERS or words > _UNKNOWN_WORDS else None


@cache
def _is_unknown(char: str) -> bool:
    return char.isalpha() and not unicodedata.name(unicodedata.normalize("NFKC", char)[0], "").startswith(
        _KNOWN_SCRIPTS
    )


def _unjudged(text: str) -> Iterator[tuple[str, int, int]]:
    """Runs of small Latin words among which is no small word of a language that is known."""
    run: list[re.Match[str]] = []
    strange: set[str] = set()
    familiar = 0
    for match in _WORD.finditer(text):
        word = match[0]
        if word in ".!?;\n":
            run, strange, familiar = [], set(), 0
            continue
        if not word[0].isalpha():
            run = [] if word not in "'\"" else run
            continue
        plain = word.lower() if word.isascii() else _bare(word)
        if plain in FOREIGN:
            strange.add(plain)
        familiar += plain in _ENGLISH
        if not plain.isascii() and not word.isascii() and word[0] > "\u024f":
            run = []
            continue
        if plain in _SMALL or (word[0].isupper() and not run) or word.isupper() or _looks_english(plain):
            run = []
        else:
            run.append(match)
        if len(run) >= _UNJUDGED_RUN or (len(strange) >= 2 and len(strange) > familiar):
            yield LANGUAGE, run[0].start() if run else match.start(), match.end()
            run, strange = [], set()


def _looks_english(word: str) -> bool:
    return len(word) > 5 and word.endswith(_ENGLISH_ENDINGS)


_ENGLISH_ENDINGS: Final = ("ing", "tion", "tions", "ness", "able", "ed", "ly", "ity", "ous", "ers", "ies", "ive")
_FUNCTION: Final = {name: frozenset(words.split()) for name, words in FUNCTION_WORDS.items()}
_ENGLISH: Final = _FUNCTION["en"]
_NOT_ENGLISH: Final = frozenset().union(*_FUNCTION.values()) - _ENGLISH
_SMALL: Final = frozenset().union(*_FUNCTION.values())


@cache
def _compiled(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(language.begins), re.compile(language.holds)
