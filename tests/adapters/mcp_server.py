"""A small MCP server over standard input and output, for tests: `python mcp_server.py LOG`.

Every line it gets is kept in LOG. Its tools do what their names say, or write the very bytes that a test wants.
"""

import base64
import json
import os
import signal
import sys
import time
from pathlib import Path

SECRET = "sk-" + "abcdefghijklmnopqrstuvwx"
OBJECT = {"type": "object", "properties": {}}


def tool(name, description="A tool.", **more):
    return {"name": name, "description": description, "inputSchema": OBJECT, **more}


def tools():
    names = "echo leak every_kind structured fails raises asks_model asks_user logs raw many ends ignores_end".split()
    listed = [
        tool(name, os.environ.get("MCP_DESCRIPTION", "A tool.") if name == "echo" else "A tool.") for name in names
    ]
    listed.append(tool("destroyer", annotations={"destructiveHint": True, "readOnlyHint": True}))
    listed.append(tool("outsider", annotations={"openWorldHint": True}))
    return listed + json.loads(os.environ.get("MCP_MORE_TOOLS", "[]"))


def send(message):
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


def lines():
    with Path(sys.argv[1]).open("ab", buffering=0) as log:
        while line := sys.stdin.buffer.readline():
            log.write(line)
            yield line


LINES = lines()


def ask(method, params):
    """A request of our own, and the client's answer."""
    send({"id": "of-server", "method": method, "params": params})
    while True:
        message = json.loads(next(LINES))
        if message.get("id") == "of-server" and "method" not in message:
            return message


def text(said):
    return {"content": [{"type": "text", "text": said}]}


def call(name, arguments):
    match name:
        case "echo" | "destroyer" | "outsider":
            return text(json.dumps(arguments, ensure_ascii=False))
        case "fetch_page" | "send_email" | "hand_over":
            return text(os.environ["MCP_PAGE"] if name == "fetch_page" else "done")
        case "leak":
            return text(f"the key is {SECRET}")
        case "every_kind":
            said = arguments.get("said", "plain")
            return {
                "content": [
                    {"type": "text", "text": said},
                    {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png", "annotations": {"audience": [said]}},
                    {"type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav"},
                    {"type": "resource_link", "uri": "demo://x", "name": "x", "description": said},
                    {"type": "resource", "resource": {"uri": "demo://x", "text": said}},
                    {"type": "resource", "resource": {"uri": "demo://y", "blob": "aGVsbG8="}},
                ],
                "structuredContent": {"said": said, "list": [said, 1]},
                "_meta": {"said": said},
            }
        case "structured":
            return {"content": [], "structuredContent": {"temperature": 21.5, "key": arguments.get("key", "")}}
        case "fails":
            return {**text(arguments.get("said", "no")), "isError": True}
        case "asks_model":
            messages = [{"role": "user", "content": {"type": "text", "text": arguments.get("said", "hello")}}]
            return text(json.dumps(ask("sampling/createMessage", {"messages": messages, "maxTokens": 5})))
        case "asks_user":
            params = {"message": arguments.get("said", "who?"), "requestedSchema": OBJECT}
            return text(json.dumps(ask("elicitation/create", params)))
        case "logs":
            send({"method": "notifications/message", "params": {"level": "info", "data": arguments.get("said", "x")}})
            send({"method": "notifications/progress", "params": {"progressToken": 1, "progress": 0.5}})
            return text("logged")
        case "raw":
            sys.stdout.buffer.write(base64.b64decode(arguments["bytes"]))
            sys.stdout.buffer.flush()
            return text("written")
        case "many":
            return text("x" * arguments["size"])
        case "ends":
            sys.exit(arguments["status"])
        case "ignores_end":
            signal.signal(signal.SIGTERM, lambda *_: None)
            send({"method": "notifications/message", "params": {"level": "info", "data": str(os.getpid())}})
            while True:
                time.sleep(1)
    return None


def answer(method, params):
    match method:
        case "initialize":
            offers = {"tools": {}, "resources": {}, "prompts": {}}
            info = {"name": "test", "version": "1"}
            said = {"instructions": os.environ["MCP_INSTRUCTIONS"]} if "MCP_INSTRUCTIONS" in os.environ else {}
            return {"protocolVersion": params["protocolVersion"], "capabilities": offers, "serverInfo": info, **said}
        case "tools/list":
            if "MCP_PAGES" in os.environ:
                pages = json.loads(os.environ["MCP_PAGES"])
                place = int(params.get("cursor", "0"))
                more = {"nextCursor": str(place + 1)} if place + 1 < len(pages) else {}
                return {"tools": pages[place], **more}
            return {"tools": tools()}
        case "tools/call":
            if "task" in params:
                return {"task": {"taskId": "t1", "status": "working"}}
            return call(params["name"], params.get("arguments") or {})
        case "tasks/result":
            return text(f"at last: {SECRET}")
        case "resources/read":
            return {"contents": [{"uri": params["uri"], "text": f"content, {SECRET}"}]}
        case "prompts/get":
            message = {"role": "user", "content": {"type": "text", "text": "do as the prompt says"}}
            return {"description": "a prompt", "messages": [message]}
        case "resources/list" | "ping" | "odd/method" | "completion/complete" | "logging/setLevel":
            return {"resources": []}
    return None


def main():
    for line in LINES:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        params = message.get("params", {})
        result = answer(message["method"], params)
        if result is None:
            error = {"code": -32601, "message": "no such thing: " + SECRET, "data": {"key": SECRET}}
            send({"id": message["id"], "error": error})
        else:
            send({"id": message["id"], "result": result})


if __name__ == "__main__":
    main()
