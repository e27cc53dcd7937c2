#!/bin/sh
# Runs a command if a Guardhouse daemon lets it run, and prints what may be seen of its output. Needs curl and Python.
#
#   GUARDHOUSE_TOKEN=… examples/guarded_call.sh 'ls -l'
#   WAIT=300 GUARDHOUSE_TOKEN=… examples/guarded_call.sh 'rm -rf /srv/old'     # waits that long for a person
#
# The command runs only on an answer that is understood and says `allow`, or `allow_with_redaction` with the command to
# run instead. Whatever else comes, or does not come, it does not run.
set -eu
command=$1
url=${GUARDHOUSE_URL:-http://127.0.0.1:8765}
SESSION=${SESSION:-shell-$$}
CALL=call-$$
export SESSION CALL

# The token is in a file of our own: the arguments of a process can be seen by others.
settings=$(mktemp)
trap 'rm -f "$settings"' EXIT
printf 'header = "Authorization: Bearer %s"\n' "$GUARDHOUSE_TOKEN" >"$settings"

# No proxy, no redirect, no longer than a minute; any status but 200 is a failure.
ask() { # the path, and what to send on standard input where there is something
    curl --silent --show-error --fail --max-time 60 --noproxy '*' --config "$settings" \
        --header 'Content-Type: application/json' "$url$@"
}

# A field of the JSON object on standard input, as text; nothing if it is not there.
field() {
    python3 -c '
import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1].split("."):
    value = value.get(name) if isinstance(value, dict) else None
print(value if isinstance(value, str) else "" if value is None else json.dumps(value))' "$1"
}

refuse() {
    printf '%s\n' "${1:-Guardhouse gave no verdict that is understood, so nothing was done.}" >&2
    exit 1
}

judge() { # the approval to ask under, if there is one
    python3 -c '
import json, os, sys
command, approval = sys.argv[1:]
action = {"type": "ToolCallPre", "tool": "bash", "params": {"command": command}, "cwd": os.getcwd(),
          "call_id": os.environ["CALL"], "session_id": os.environ["SESSION"]}
print(json.dumps({"action": action} | ({"approval_id": approval} if approval else {})))' "$command" "${1:-}" |
        ask /v1/evaluate --data-binary @-
}

verdict=$(judge) || refuse
if [ "$(printf %s "$verdict" | field status)" = pending ] && [ "${WAIT:-0}" -gt 0 ]; then
    request=$(printf %s "$verdict" | field approval_request_id)
    printf 'waiting for %s\n' "$request" >&2
    end=$(($(date +%s) + WAIT))
    while [ "$(date +%s)" -lt "$end" ]; do
        status=$(ask "/v1/approvals/$request?wait=20" | field status) || refuse
        [ "$status" = pending ] || break
    done
    verdict=$(judge "$request") || refuse
fi
[ -z "$(printf %s "$verdict" | field status)" ] || refuse "$(printf %s "$verdict" | field message)" # it waits
case $(printf %s "$verdict" | field decision) in
    allow) ;;
    allow_with_redaction) command=$(printf %s "$verdict" | field params.command) ;;
    *) refuse "$(printf %s "$verdict" | field message)" ;;
esac
[ -n "$command" ] || refuse

status=0
output=$(sh -c "$command" 2>&1) || status=$?

# What came back is judged before anybody sees it; this also records that the call was made.
shown=$(printf %s "$output" | python3 -c '
import json, os, sys
verdict, command = json.loads(sys.argv[1]), sys.argv[2]
content = sys.stdin.buffer.read().decode(errors="backslashreplace")
action = {"type": "ToolCallPost", "tool": "bash", "params": {"command": command}, "content": content,
          "call_id": os.environ["CALL"], "session_id": os.environ["SESSION"]}
made = {"event_id": verdict["event_id"], "risk_level": verdict["risk_level"]}
print(json.dumps({"action": action, "made": made}))' "$verdict" "$command" | ask /v1/evaluate --data-binary @-) || refuse
case $(printf %s "$shown" | field decision) in
    allow) seen=$output ;;
    allow_with_redaction) seen=$(printf %s "$shown" | field content) ;;
    *) refuse "The command has run, but its output is withheld. $(printf %s "$shown" | field message)" ;;
esac
marked=$(printf %s "$shown" | field wrapped)
printf '%s\n' "${marked:-$seen}"
exit "$status"
