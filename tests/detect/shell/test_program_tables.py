"""Which table speaks of which program: the names that are looked up before a table is loaded."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from guardhouse.detect.shell import programs
from guardhouse.detect.shell.programs import launchers, verbs
from guardhouse.detect.shell.programs.tables import LAUNCHER_TABLES, PREFIXES, PROGRAM_MODULES, VERB_TABLES, read_later

HERE = Path(programs.__file__).parent


def table(kind: str, name: str):
    return import_module(f"{programs.__name__}.{kind}_table_{name}")


@pytest.mark.parametrize("name", VERB_TABLES)
def test_the_names_of_a_table_of_verbs_are_those_of_its_tools(name):
    tools = table("verb", name).TOOLS
    assert set(VERB_TABLES[name].split()) == {known.lower() for tool in tools for known in tool.names.split()}
    assert {verb.tool for verb in table("verb", name).VERBS} <= {
        known for tool in tools for known in tool.names.split()
    }


@pytest.mark.parametrize("name", LAUNCHER_TABLES)
def test_the_names_of_a_table_of_launchers_are_those_of_its_rows(name):
    rows = table("launcher", name).LAUNCHERS
    assert set(LAUNCHER_TABLES[name].split()) == {known for row in rows for known in row.program.split()}
    assert not [row.where for row in rows if row.where.endswith("=") and row.where[0] not in "-+/"]


def test_rows_about_variables_are_all_in_one_table():
    assert all(row.where.endswith("=") for row in table("launcher", "environment").LAUNCHERS)


def test_a_tool_is_in_one_table_of_verbs_only():
    names = [name for names in VERB_TABLES.values() for name in names.split()]
    assert len(names) == len(set(names))


def test_the_names_of_prefixes_are_those_of_their_rows():
    assert {name for row in launchers.PREFIXES for name in row.names.split()} == PREFIXES


@pytest.mark.parametrize("name", PROGRAM_MODULES)
def test_the_programs_of_a_module_are_those_that_it_reads(name):
    programs_read = getattr(import_module(f"{programs.__name__}.{name}"), name.upper())
    assert set(programs_read) == set(PROGRAM_MODULES[name].split()) == set(read_later(name))


def test_every_table_is_listed():
    assert {file.stem.removeprefix("verb_table_") for file in HERE.glob("verb_table_*.py")} == set(VERB_TABLES)
    listed = {file.stem.removeprefix("launcher_table_") for file in HERE.glob("launcher_table_*.py")}
    assert listed == {*LAUNCHER_TABLES, "environment", "prefixes"}
    assert len(verbs.VERBS) == sum(len(table("verb", name).VERBS) for name in VERB_TABLES)


def test_a_command_loads_only_the_tables_of_its_programs():
    code = (
        "import sys\n"
        "from guardhouse.detect.shell import follow\n"
        "follow('git reset --hard && ls -la', home='/home/ada', cwd='/srv/app')\n"
        "print(sorted(name.rpartition('.')[2] for name in sys.modules if '_table_' in name))\n"
    )
    loaded = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == str(["launcher_table_development", "launcher_table_environment", "verb_table_versions"])
