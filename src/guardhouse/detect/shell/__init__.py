"""Shell commands as a shell reads them: words with their quoting, in a tree. What they would do is not told here."""

from guardhouse.detect.shell.code import follow_code
from guardhouse.detect.shell.following import follow
from guardhouse.detect.shell.parser import Limits, Parsed, Problem, parse
from guardhouse.detect.shell.walking import simple_commands

__all__ = ["Limits", "Parsed", "Problem", "follow", "follow_code", "parse", "simple_commands"]
