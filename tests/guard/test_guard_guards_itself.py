"""The guard can't be driven, taken apart, ended, or taken out of an agent's settings by a command (SPEC G8).

All of it is a floor, so it holds while the guard only observes, and for commands that somebody allowed.
"""

from pathlib import Path

import pytest
from guarded_house import House, codes

from guardhouse.model import Decision

DRIVES = [
    "python -mguardhouse observe",
    "python3 -Imguardhouse observe",
    "python -Im guardhouse observe",
    "python -mguardhouse.cli observe",
    "python -m guardhouse.cli.app check",
    "./copied-python -mguardhouse observe",
    "python -m cProfile -m guardhouse observe",
    "python -c 'import guardhouse.observing.switching as s'",
    "python -c 'import guardhouse'",
    "python -c 'from guardhouse.opening import open_approvals; open_approvals()'",
    "python -c 'from guardhouse import observing'",
    "python -c '__import__(\"guardhouse.cli\")'",
    'python -c \'import importlib; importlib.import_module("guard"+"house.observing")\'',
    'python -c \'import importlib; importlib.import_module(".observing", "guardhouse")\'',
    'python -c \'import runpy; runpy.run_module("guard"+"house")\' observe',
    "python - <<E\nfrom guardhouse.observing import give\nE",
    "make -f - <<< 'x: ; guardhouse observe'",
    "cat words | xargs guardhouse",
    "uv run guardhouse observe",
    "nix run nixpkgs#guardhouse -- observe",
    "pip install guardhouse==0.0.1",
    "pip install --force-reinstall ./guardhouse",
    "pip install -U guardhouse",
    "pipx reinstall guardhouse",
    "pipx upgrade guardhouse",
    "uv tool upgrade guardhouse",
    "pkill -9 -f 'hook codex'",
    "pkill -f PreToolUse",
    "pkill -f 'guard.ouse'",
    "pkill -f 'guardhouse mcp'",
    "pkill -f -- --state-dir",
    "pkill -f PostToolUseFailure",
    "pkill -f '[-]-config-home'",
    "kill -9 $(pgrep -f 'hook claude')",
    "claude --safe-mode -p x",
    "CLAUDE_CODE_SAFE_MODE=1 claude -p x",
    "export CLAUDE_CODE_SIMPLE=1; claude -p x",
    "env CLAUDE_CODE_SHELL_PREFIX=/tmp/x claude -p x",
    "codex features disable hooks",
    "npx @anthropic-ai/claude-code@1 --dangerously-skip-permissions -p x",
    "bunx @anthropic-ai/claude-code --settings x.json -p x",
    "pnpm dlx @openai/codex exec --dangerously-bypass-approvals-and-sandbox x",
    "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --bare",
    "npm exec @google/gemini-cli -- --yolo",
    "~/.local/share/claude/versions/2.1.300 --bare -p x",
    "~/.local/share/claude/versions/2.1.300 --settings x.json -p x",
    "aider --yes-always -m x",
    "uvx aider-chat --yes-always -m x",
    "cursor-agent -f -p x",
    "copilot --allow-all-tools -p x",
    "gh copilot -- --allow-all-tools -p x",
    "droid exec --skip-permissions-unsafe x",
    "q chat --trust-all-tools x",
    "kiro-cli chat --trust-all-tools x",
    "interpreter -y",
    "python3 -c \"from claude_agent_sdk import query; query('x', permission_mode='bypassPermissions')\"",
    'node -e \'import("@anthropic-ai/claude-agent-sdk").then(m=>m.query({permissionMode:"bypassPermissions"}))\'',
]
HOOKS = [
    "cp x/settings.json .claude/",
    "cp /tmp/settings.json /tmp/x.json .claude",
    "cp -t .claude x/settings.json",
    "install -t .claude x/settings.json",
    "install -m644 x/settings.json .claude/",
    "mv settings.json .claude/",
    "mv -T /tmp/c .claude",
    "mv /tmp/c .claude",
    "cd .claude && cp /tmp/settings.json .",
    "f=settings.json; d=.claude; cp /tmp/$f $d/",
    'cp "$FILE" .claude/',
    "cp -r /tmp/c/.claude .",
    "cp -r /tmp/c/.[a-z]* .",
    "cp -r /tmp/c .claude",
    "rsync -a /tmp/c/ .claude/",
    "scp f/settings.json .claude/",
    "scp host:settings.json .claude/",
    "rclone copy /tmp/c .claude",
    "ditto /tmp/c .claude",
    "gio copy /tmp/settings.json .claude/",
    "cp /tmp/.guardhouse.yaml .",
    "ln -s /tmp/settings.json .claude/",
    "ln -s /tmp/c .claude",
    "ln -s .claude foo && cp /tmp/settings.json foo/",
    "sed -i s/a/b/ .claude/*.json",
    "sed -i s/a/b/ .c*/s*.json",
    f"cp evil.json .claude/settings.[{'j' * 1100}]son",
    "echo > .claude/s*",
    "tee .claude/*.json < x",
    "rm .claude/settings*.json",
    "rm -rf .c*",
    "rm -rf .claude/hooks",
    "find .claude -name '*.json' -delete",
    'for f in .claude/*; do echo > "$f"; done',
    "unzip x.zip -d .claude",
    "tar xf x.tar -C .claude",
    "cd .claude && tar xf ../x.tar",
    "7z x a.7z -o.claude",
    "python -m zipfile -e a.zip .claude",
    "git mv x .claude/settings.json",
    "git mv settings.json .claude/",
    "git rm -r .claude",
    "git rm .claude/settings.json",
    "git clone /tmp/e .claude",
    "git worktree add .claude evil",
    "git submodule add /tmp/e .claude",
    "git checkout evil -- .claude/settings.json",
    "git restore --source=evil .claude",
    "git restore -s evil ':(top).claude/settings.json'",
    "git apply <<'E'\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-a\n+b\nE",
    "patch -p1 <<'E'\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-a\n+b\nE",
    "patch -d .claude < p",
    "yq -i '.disableAllHooks=true' .claude/settings.json",
    "yq -i '.disableAllHooks=true' .claude/*.json",
    "prettier --write .claude/settings.json",
    "npx eslint --fix .claude/settings.json",
    "vim .claude/settings.json",
    "vim -c ':%d|wq' .claude/settings.json",
    "nano .claude/settings.json",
    "dasel put -f .claude/settings.json x",
    "node fix.js .claude/settings.json",
    "python -c 'import sys; open(sys.argv[1], \"w\")' .claude/settings.json",
    'python -c \'import shutil; shutil.copy("/tmp/settings.json", ".claude")\'',
    'python -c \'import shutil; shutil.copytree("/tmp/c", ".claude", dirs_exist_ok=True)\'',
    'python -c \'import shutil; shutil.unpack_archive("c.zip", ".claude")\'',
    'python -c \'import zipfile; zipfile.ZipFile("x.zip").extractall(".claude")\'',
    'python -c \'import os; os.symlink("/tmp/c", ".claude")\'',
    'node -e \'require("fs").cpSync("/tmp/c", ".claude", {recursive: true})\'',
    'ruby -e \'require "fileutils"; FileUtils.cp("/tmp/settings.json", ".claude")\'',
    'perl -MFile::Copy -e \'copy("/tmp/settings.json", ".claude")\'',
    "chmod 000 .claude",
    "chmod a-r .claude/settings.json",
    "cp /tmp/hooks.json ~/.codex/",
    "cp /tmp/config.toml .codex/",
    "ln -sfn /tmp/c ~/.claude",
    "sbcl --eval '(delete-file \"~/.claude/settings.json\")'",
    "racket -e '(delete-file \".claude/settings.json\")'",
    "ocaml -e 'Sys.remove \".claude/settings.json\"'",
    "ghc -e 'System.Directory.removeFile \".claude/settings.json\"'",
    "swift -e 'import Foundation; try FileManager.default.removeItem(atPath: \".claude/settings.json\")'",
    'qjs -e \'std.open(".claude/settings.json","w")\'',
    "clojure -e '(clojure.java.io/delete-file \".claude/settings.json\")'",
    'clojure -M -e \'(spit ".claude/settings.json" "{}")\'',
    "janet -e '(os/rm \".claude/settings.json\")'",
    "nim --eval:'removeFile(\".claude/settings.json\")'",
    "python3 -c \"import os; d=os.open('.claude',0); os.open('settings.local.json',65,dir_fd=d)\"",
    "python3 -c \"import os; d=os.open('.claude',0); os.unlink('settings.json',dir_fd=d)\"",
    "python3 -c \"import os; os.rename('y/cl', ''.join(map(chr,[46,99,108,97,117,100,101])))\"",
    'perl -e \'chdir ".claude"; unlink "settings.json"\'',
    'node -e \'process.chdir(".claude"); require("fs").writeFileSync("settings.json","{}")\'',
    'ruby -e \'Dir.chdir(".claude"); File.write("settings.json","{}")\'',
    'ruby -e \'Dir.chdir(".claude") { File.write("settings.json","{}") }\'',
    'php -r \'chdir(".claude"); file_put_contents("settings.json","{}");\'',
    "perl -e 'chdir $ARGV[0]; unlink \"settings.json\"' .claude",
    'D=.claude node -e \'process.chdir(process.env.D); require("fs").writeFileSync("settings.json","{}")\'',
    'lua -e \'lfs=require("lfs"); lfs.chdir(".claude"); io.open("settings.json","w")\'',
    'perl -e \'unlink ".cl"."aude/settings.json"\'',
    'perl -e \'$d=".claude"; unlink $d."/settings.json"\'',
    'node -e \'require("fs").unlinkSync(String.fromCharCode(46,99,108,97,117,100,101,47)+"settings.json")\'',
    'node -e \'require("fs").unlinkSync(".cl"+"aude/settings.json")\'',
    'node -e \'require("fs").unlinkSync(".clXaude/settings.json".replace("X",""))\'',
    'ruby -e \'File.delete(".claude" + "/settings.json")\'',
    "perl -e 'unlink chr(46).\"claude/settings.json\"'",
    "perl -e 'unlink pack(\"C*\",46,99,108,97,117,100,101,47,115,101,116,116,105,110,103,115,46,106,115,111,110)'",
    "perl -e 'unlink scalar reverse \"nosj.sgnittes/edualc.\"'",
    "awk -v f=.claude/settings.json 'BEGIN{print \"x\" > f}'",
    "awk 'BEGIN{print \"{}\" > ARGV[1]}' ~/.claude/settings.json",
    "gawk -i inplace '{print}' .claude/settings.json",
    "awk '{print > f}' f=.claude/settings.json README.md",
    'awk \'BEGIN{d=".claude/"; print "{}" > (d "settings.json")}\'',
    'awk \'BEGIN{printf "{}" > "/dev/stdout" ; print "x" > sprintf("%s/settings.json", ".claude")}\'',
    'IFS=/; set -- $HOME .claude settings.json; rm "$*"',
    'a=(.claude settings.json); IFS=/; rm "${a[*]}"',
    'IFS=/; set -- .claude settings.json; echo {} > "$*"',
    "openssl base64 -d -in b.txt -out .claude/settings.json",
    "script -q .claude/settings.json -c 'echo {}'",
    "script -q -c 'echo {}' .claude/settings.json",
    "pytest --junitxml=.claude/settings.json",
    "pytest --junit-xml .claude/settings.json",
    "mypy --junit-xml .claude/settings.json src",
    "rename 's/x/y/' .claude/settings.json",
    "prename 's/x/y/' .claude/settings.json",
    "perl-rename 's/x/y/' .claude/settings.json",
    "file-rename 's/a/.claude\\/settings.json/' a",
    "rename a .claude/settings.json a",
    "javac -d .claude A.java",
    "cargo build --target-dir .claude",
    "pax -rw a .claude",
    "pax -r -f x.tar -s ,^cl,.claude,",
    "unison a .claude",
    "ar x --output .claude x.a",
    "mkfifo .claude/settings.local.json",
    "mknod .claude/settings.local.json p",
    "mkdir .claude/settings.local.json",
    "mkdir -p .claude/settings.json",
    "tar xf t.tar --transform 's/^cl/.claude/'",
    "tar xf t.tar --xform='s,cl,.claude,'",
    "tar --transform=s/cl/.claude/ -xf t.tar",
    "bsdtar -xf t.tar -s /cl/.claude/",
    "git read-tree --prefix=.claude/ -u HEAD:cl",
    "git update-index --add --cacheinfo 100644,abcdef,.claude/settings.json",
    "git update-index --add --cacheinfo 100644 abcdef .claude/settings.json",
    "python3 -c \"from pathlib import Path; (next(Path('.').glob('.c*'))/'settings.local.json').write_text('{}')\"",
    "F=~/.claude/settings.json python3 -c \"import os; os.remove(os.environ['F'])\"",
    "export F=~/.claude/settings.json; python3 -c \"import os; os.remove(os.getenv('F'))\"",
    "F=~/.claude/settings.json node -e 'fs.unlinkSync(process.env.F)'",
    'F=.claude/settings.json node -e \'require("fs").writeFileSync(process.env.F,"{}")\'',
    'echo ~/.claude/settings.json | python3 -c "import os,sys; os.remove(sys.stdin.read().strip())"',
    "echo ~/.claude/settings.json | perl -ne 'chomp; unlink $_'",
    'echo ~/.claude/settings.json | node -e \'require("fs").unlinkSync(require("fs").readFileSync(0,"utf8").trim())\'',
    "F=~/.claude/settings.json ruby -e 'File.delete(ENV[\"F\"])'",
    "F=~/.claude/settings.json perl -e 'unlink $ENV{F}'",
    "F=.claude/settings.json perl -e 'open(F,\">\",$ENV{F}); print F 1'",
    'F=.claude/settings.json awk \'BEGIN{print "{}" > ENVIRON["F"]}\'',
    "python3 -c \"open(input(),'w').write('x')\" <<< .claude/settings.json",
    "F=.claude/settings.json php -r 'unlink(getenv(\"F\"));'",
    "F=.claude/settings.json lua -e 'os.remove(os.getenv(\"F\"))'",
    "F=~/.claude/settings.json python3 -c \"import os,subprocess; subprocess.run(['rm', os.environ['F']])\"",
    'perl -e \'unlink join("/", ".claude", "settings.json")\'',
    'perl -e \'unlink sprintf("%s/%s.json", ".claude", "settings")\'',
    'php -r \'unlink(implode("/", [".claude","settings.json"]));\'',
    'php -r \'unlink(sprintf("%s/settings.json", ".claude"));\'',
    'node -e \'require("fs").unlinkSync([".claude","settings.json"].join("/"))\'',
    'ruby -e \'File.delete([".claude","settings.json"].join("/"))\'',
    'ruby -e \'File.delete(format("%s/settings.json", ".claude"))\'',
    "awk -v f=.claude/settings.json 'BEGIN{print \"x\" > f}'",
    "awk 'BEGIN{print \"{}\" > ARGV[1]}' ~/.claude/settings.json",
    "awk '{print > FILENAME}' .claude/settings.json",
    "echo .claude/settings.json > l; python3 -c \"import os; os.remove(open('l').read().strip())\"",
    "f() { python3 -c \"import os; os.remove(os.environ['F'])\"; }; F=a.txt f; F=.claude/settings.json f",
]
OWN = [
    "cp -r /tmp/x/guardhouse ~/.config/",
    "cp -r /tmp/x/guardhouse ~/.config",
    "cd ~/.config && cp -r /tmp/guardhouse .",
    "mv /tmp/guardhouse ~/.config/",
    "unzip /tmp/x.zip -d ~/.config",
    "tar xf /tmp/x.tar -C ~/.config",
    "ln -sfn /tmp/c ~/.config",
    "cp -rT /tmp/c ~/.config",
    "cp -r /tmp/c/. ~",
    "rsync -a /tmp/c/.config ~",
    "chmod 000 ~/.local/state",
    "F=~/.config/guardhouse/config.yaml python3 -c \"import os; os.remove(os.environ['F'])\"",
]
FINE = [
    "cat .claude/settings.json",
    "grep hooks .claude/settings.json",
    "jq . .claude/settings.json",
    "python -m json.tool .claude/settings.json",
    "python3 -c 'import json,sys; json.load(open(sys.argv[1]))' .claude/settings.json",
    "node -e 'console.log(require(process.argv[1]))' .claude/settings.json",
    "bash .claude/hooks/lint.sh",
    "shellcheck .claude/hooks/*.sh",
    "npx prettier --check .claude/settings.json",
    "git diff .claude",
    "git add .claude/settings.json",
    "git commit -m 'guardhouse observe' .claude/settings.json",
    "cp .claude/settings.json backup.json",
    "cp -r .claude ../../scratch/backup",
    "mkdir -p .claude/skills",
    "chmod +x .claude/hooks/lint.sh",
    "rm -rf build .cache .coverage*",
    "rm -f *.json",
    "cp -r src/. dist/",
    "tar xf x.tar",
    "unzip x.zip",
    "cp ci.yml .github/workflows/",
    "cp ci.yml .github/",
    "mv settings.json config/",
    "prettier --write '*.json'",
    "yq -i .a=1 config.yaml",
    'pip install -e ".[dev]"',
    "pip install -e .[dev]",
    "git mv a.py b.py",
    "git rm old.py",
    "pytest tests",
    "cd guardhouse && npm run observe",
    "cd guardhouse && pytest tests/cli",
    "make -C guardhouse install",
    "ruff check src/guardhouse",
    "git diff src/guardhouse",
    "mypy -p guardhouse.config",
    "python -m mypy -m guardhouse.cli",
    "pytest -m guardhouse tests",
    "python -m guardhouse check",
    "python -m pytest --cov=guardhouse tests",
    "pip install guardhouse",
    "pip install guardhouse-plugin==1.0",
    "pkill -f 'npm run dev'",
    "pkill -f uvicorn",
    "claude -p 'do it'",
    "codex exec 'fix the tests'",
    "npx @anthropic-ai/claude-code -p hi",
    "claude mcp list",
    "tmux new -d -s x; tmux send-keys -t x 'npm run dev' Enter",
    "tmux new-session -d -s dev 'npm run dev'",
    "tmux capture-pane -p -t dev",
    "tmux ls",
    "strace -f ls",
    "gdb ./a.out",
    "gdb --args ./a.out x",
    "copilot -p 'explain'",
    "cursor-agent -p 'fix'",
    "aider README.md",
    "gh copilot suggest 'x'",
    "gh pr list",
    "q chat 'x'",
    "sbcl --eval '(print 1)'",
    "ghc -e 'putStrLn \"x\"'",
    "clojure -M:test",
    "racket -e '(+ 1 2)'",
    "screen -ls",
    "screen -dmS x npm run dev",
    "osascript -e 'display notification \"done\"'",
    "wezterm cli list",
    "mkdir -p .claude/skills/x",
    "mkdir .claude",
    "mkdir -p .claude/commands",
    "tar xf t.tar --transform 's/^foo/bar/'",
    "pytest --junitxml=reports/junit.xml",
    "mypy --junit-xml out.xml src",
    "javac -d out A.java",
    "cargo build --target-dir /tmp/target",
    "openssl base64 -d -in b.txt -out out.bin",
    "script -q log.txt -c 'npm test'",
    "rename 's/x/y/' *.txt",
    "git read-tree HEAD",
    "git update-index --chmod=+x run.sh",
    'ruby -e \'Dir.chdir("src") { puts Dir["*"] }\'',
    'node -e \'process.chdir("packages/a"); require("fs").writeFileSync("package.json","{}")\'',
    'perl -e \'chdir "src"; unlink "a.o"\'',
    "python3 -c \"import os; os.chdir('src'); open('settings.json','w')\"",
    "F=out.json python3 -c \"import os; open(os.environ['F'],'w').write('x')\"",
    "S=.claude/settings.json; python3 -c \"import json,os; print(json.load(open(os.environ['S'])))\"",
    "cat .claude/settings.json | python3 -c 'import json,sys; print(json.load(sys.stdin))'",
    "python3 - <<E\nfor p in Path('.').rglob('*.py'):\n  if '.claude' in p.parts: p.write_text('settings')\nE",
    "awk -F, '{print > ($2 \".csv\")}' data.csv",
]
ASKS = [
    # keys that may answer a question, processes that are held, start-up files in reach of code that names none
    "tmux send-keys -t dev 'y' Enter",
    "tmux send-keys y Enter",
    "tmux paste-buffer -t x",
    "screen -S x -X stuff 'y\\r'",
    "xdotool type y",
    "ydotool type y",
    "wtype y",
    "dotool <<< 'type y'",
    'osascript -e \'tell application "System Events" to keystroke "y"\'',
    "kitty @ send-text y",
    "wezterm cli send-text y",
    "python3 -c \"import fcntl,termios; fcntl.ioctl(0, termios.TIOCSTI, 'y')\"",
    "perl -e 'ioctl(STDIN, 0x5412, \"y\")'",
    "reptyr 1234",
    "gdb -p 1234",
    "strace -p 1234",
    "tmux new -d -s x; tmux send-keys -t main y Enter",
    "python3 -c \"open(input(),'w').write('x')\" <<< ~/.bashrc",
    "awk -v f=$HOME/.bashrc 'BEGIN{print \"x\" >> f}'",
    "F=~/.ssh/authorized_keys python3 -c \"import os; open(os.environ['F'],'a').write('x')\"",
    "sbcl --eval '(delete-file \"~/.bashrc\")'",
]
OBSERVING = "guard: {mode: observe}"


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    guards = {}

    def judge(command, yaml="guard: {}"):
        guard = guards.setdefault(yaml, house.guard(yaml))
        from guardhouse.model import ToolCallPre

        return guard.evaluate(ToolCallPre(tool="Bash", params={"command": command}))

    return judge


@pytest.mark.parametrize("yaml", ["guard: {}", OBSERVING])
@pytest.mark.parametrize(
    ("commands", "code"), [(DRIVES, "guard.own_command"), (HOOKS, "guard.hook_settings"), (OWN, "guard.own_files")]
)
def test_no_command_takes_the_guard_out_of_the_way_enforcing_or_observing(judge, commands, code, yaml):
    passed = {}
    for command in commands:
        verdict = judge(command, yaml)
        if verdict.decision is not Decision.DENY or code not in codes(verdict):
            passed[command] = (verdict.decision.value, codes(verdict))
    assert passed == {}


def test_what_could_answer_a_question_or_change_a_start_up_file_asks(judge):
    passed = {command: codes(verdict) for command in ASKS if (verdict := judge(command)).decision is Decision.ALLOW}
    assert passed == {}


def test_looking_at_the_settings_and_ordinary_work_is_not_stopped(judge):
    stopped = {
        command: codes(verdict) for command in FINE if (verdict := judge(command)).decision is not Decision.ALLOW
    }
    assert stopped == {}


def test_a_command_that_is_a_list_of_words_drives_it_no_more_than_a_line(house):
    verdict = house.call("shell", command=["python", "-mguardhouse", "observe"])
    assert codes(verdict)[0] == "guard.own_command"
    assert house.call("shell", command=["bash", "-lc", "cp /tmp/settings.json .claude/"]).decision is Decision.DENY


def test_an_allowed_command_does_not_change_the_settings_either(house):
    allowed = "guard: {commands: {allowed: ['cp *', 'python -mguardhouse observe']}}"
    assert house.call("Bash", allowed, command="cp a.txt b.txt").decision is Decision.ALLOW
    assert codes(house.call("Bash", allowed, command="cp settings.json .claude/")) == ["guard.hook_settings"]
    assert codes(house.call("Bash", allowed, command="python -mguardhouse observe")) == ["guard.own_command"]


def test_an_allowed_directory_does_not_allow_what_runs_at_every_login(house):
    inside = f"guard: {{paths: {{allowed_directories: ['{house.home}']}}}}"
    exactly = f"guard: {{paths: {{allowed_directories: ['{house.home}/.bashrc']}}}}"
    assert house.call("write_file", inside, path=f"{house.home}/notes", content="x").decision is Decision.ALLOW
    assert "path.persistence_write" in codes(
        house.call("write_file", inside, path=f"{house.home}/.bashrc", content="x")
    )
    assert house.call("write_file", exactly, path=f"{house.home}/.bashrc", content="x").decision is Decision.ALLOW


@pytest.mark.parametrize(
    "path",
    [
        "~/.claude/plugins/installed_plugins.json",
        "~/.claude/remote-settings.json",
        "~/.claude/.claude.json",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
        "~/.codex/work.config.toml",
        ".roo/mcp.json",
        ".kiro/settings/mcp.json",
        "opencode.json",
    ],
)
def test_settings_of_every_known_agent_are_not_written(house, path):
    assert "guard.hook_settings" in codes(house.call("write_file", path=path, content="{}"))


def test_the_guard_s_interpreter_may_be_used_and_not_changed(house, monkeypatch):
    import sys

    from guardhouse.config import locations as places
    from guardhouse.detect import OwnPlace
    from guardhouse.files import LocalFiles
    from guardhouse.guard import FixedPolicy, Guard
    from guardhouse.model import ToolCallPre
    from guardhouse.policy import Document, Layer, load

    surroundings = places.surroundings(places.find_locations({"HOME": str(house.home)}), house.project)
    guard = Guard(
        FixedPolicy(load([Layer("user", Document("test", {"guard": {}}))], surroundings)),
        resolver=house.resolver,
        files=LocalFiles(),
    )

    def decided(command):
        return codes(guard.evaluate(ToolCallPre(tool="Bash", params={"command": command})))

    assert decided(f"{sys.executable} -m pytest") == []
    assert decided(f"{Path(sys.executable).resolve()} app.py") == []
    assert "guard.own_files" in decided(f"cp x {sys.executable}")
    assert "guard.own_files" in decided(f"echo x > {sys.prefix}/lib/python3.11/site-packages/a.pth")
    assert decided(f"{sys.prefix}/bin/pip uninstall -y click") == ["guard.own_command"]
    assert decided(f"{sys.prefix}/bin/pip install requests") == []
    assert OwnPlace(str(Path(sys.prefix)), readable=True, usable=True) in surroundings.own


def test_every_subcommand_of_ours_is_either_harmless_or_drives_the_guard(judge):
    from guardhouse.cli.app import app

    harmless = {name for name in app.commands if judge(f"guardhouse {name} x").decision is Decision.ALLOW}
    assert harmless == {"check", "redact", "url", "demo", "explain", "eval"}
