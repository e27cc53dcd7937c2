"""What programs do: the tables, and the one way through them that every program takes."""

from guardhouse.detect.shell.programs.looking import TALKERS
from guardhouse.detect.shell.programs.running import matters, run_program

__all__ = ["TALKERS", "matters", "run_program"]
