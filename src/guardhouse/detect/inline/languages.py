"""How the languages of inline code are written, as far as a scanner of words and strings needs it: a row each.

Not a grammar of any of them. What their names do is said in `names`.
"""

# ruff: noqa: E501  (a table, one entry a line)
from __future__ import annotations

from typing import Final, NamedTuple


class Language(NamedTuple):
    """One way of writing code."""

    names: str
    """What it is called, the name used here first."""
    quotes: str
    """Each quote that opens a string, followed by letters: `i`, pieces are put in; `x`, the text is run as a command;
    `r`, a backslash hides nothing but itself and the quote; `v`, a backslash is a letter like any other."""
    pieces: str = ""
    """What starts a piece that is put into a string: `$` a name, `${`, `#{`, `$(`, `@{` code up to the other bracket."""
    comments: str = ""
    """What starts a comment up to the end of the line."""
    blocks: str = ""
    """What starts and ends a longer comment, in pairs; with a `=` in front, only where a line starts."""
    joins: str = "."
    """What stands between a name and its part."""
    sigils: str = ""
    """Marks that belong to the name after them."""
    letters: str = ""
    """Letters of names, beside the usual ones."""
    patterns: str = ""
    """Names after which a `/` starts a pattern, as it does after a mark; empty: there are no patterns."""
    bare: bool = False
    """A call needs no brackets."""
    specials: str = ""
    """Other ways to quote: `perl` (`q()`, `s///`), `ruby` (`%q()`), `lua` (`[[ ]]`), `heredoc`, `elixir` (`~s()`), `m4`,
    `letters` (`'x'` is a letter), `lisp` (`?"` is one)."""
    caseless: bool = False
    spaced: bool = False
    """Arguments stand next to each other, with no comma."""


_REGEX_WORDS: Final = "return typeof case in of do else void delete if unless while until and or not when then"
_PERL_WORDS: Final = _REGEX_WORDS + " split grep map join push print x cmp eq ne lt gt"
_POD: Final = "=pod =cut =head =cut =over =cut =item =cut =begin =cut =for =cut =encoding =cut"
_RUBY_WORDS: Final = (
    _REGEX_WORDS + " puts p print .split .grep .match .match? .scan .sub .gsub .sub! .gsub! .index .slice"
)

LANGUAGES: Final = (
    Language("perl", "'r \"i `x", pieces="$ ${ @{ @", comments="#", blocks=_POD, joins=":: ->", sigils="$@", patterns=_PERL_WORDS, bare=True, specials="perl heredoc"),
    Language("ruby crystal", "'r \"i `x", pieces="#{", comments="#", blocks="=begin =end", joins=". :: &.", sigils="$@:", letters="!?", patterns=_RUBY_WORDS, bare=True, specials="ruby heredoc"),
    Language("php", "'r \"i `x", pieces="$ ${ {$", comments="// #", blocks="/* */", joins=":: ->", sigils="$", bare=True, specials="heredoc", caseless=True),
    Language("lua luajit texlua nmap", "' \"", comments="--", blocks="--[[ ]]", joins=". :", bare=True, specials="lua"),
    Language("node deno bun jjs jrunscript javascript js typescript ts nodejs tsx ts-node", "' \" `i", pieces="${", comments="//", blocks="/* */", joins=". ?.", sigils="$#", letters="$", patterns=_REGEX_WORDS),
    Language("awk gawk mawk nawk", '"', comments="#", joins="::", patterns="in if while print return"),
    Language("r rscript", "' \"", comments="#", joins=":: $", letters="."),
    Language("julia", '"i `x', pieces="$ $(", comments="#", blocks="#= =#", letters="!"),
    Language("lisp guile scheme emacs elisp sbcl clisp racket chicken csi", '"', comments=";", blocks="#| |#", joins="", letters="-*!?/:+<>=.&", bare=True, spaced=True, specials="lisp"),
    Language("clojure clj bb babashka", '"', comments=";", joins="", letters="-*!?/:+<>=.", bare=True, spaced=True),
    Language("java groovy jshell scala kotlin kotlinc jython-java groovysh", "' \"i", pieces="$ ${", comments="//", blocks="/* */"),
    Language("go golang", "' \" `v", comments="//", blocks="/* */"),
    Language("c cpp c++ cc tcc rust csharp dotnet d zig nim swift v", "\"", comments="//", blocks="/* */", joins=". :: ->", specials="letters"),
    Language("elixir iex", "'i \"i", pieces="#{", comments="#", sigils=":", letters="!?", bare=True, specials="elixir"),
    Language("erlang erl", "' \"", comments="%", joins=":"),
    Language("haskell ghc ghci runghc stack", '"', comments="--", blocks="{- -}", letters="'", bare=True, spaced=True, specials="letters"),
    Language("ocaml fsharp sml", '"', blocks="(* *)", letters="'", bare=True, spaced=True, specials="letters"),
    Language("gnuplot", "'r \"i `x", comments="#", bare=True),
    Language("octave matlab scilab maxima", "'r \"", comments="% ##", bare=True),
    Language("m4", "", comments="#", specials="m4"),
    Language("vimscript", "'r \"", sigils="&$", letters="#:", bare=True),
    Language("applescript", '"', comments="--", blocks="(* *)", bare=True, caseless=True),
    Language("jq", '"'),
    Language("other", "' \"", joins=". :: ->", sigils="$"),
)  # fmt: skip

BY_NAME: Final = {name: language for language in LANGUAGES for name in language.names.split()}
OTHER: Final = BY_NAME["other"]


def called(language: Language) -> str:
    """The name used here."""
    return language.names.partition(" ")[0]
