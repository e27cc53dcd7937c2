"""Tools of the code host and of the working copy. Most print like a command line, some hand back JSON; schemas come
with or without descriptions, or not at all. `effect` and `output` are what a careful operator declares."""

from __future__ import annotations

from typing import Any

from harness import Toolbox, ToolError, schema
from repohost_state import Forge

BOX = Toolbox()
tool = BOX.tool
ISSUE = schema("repo number", repo="string: repository", number="integer: number of the issue")


def repo_of(s: Forge, repo: str) -> dict[str, Any]:
    if repo not in s.repos:
        raise ToolError(f"repository not found: {repo}")
    return s.repos[repo]


def entry(s: Forge, repo: str, kind: str, number: int) -> dict[str, Any]:
    found = repo_of(s, repo)[kind].get(number)
    if found is None:
        raise ToolError(f"no #{number} in {repo}")
    return found


def thread(number: int, it: dict[str, Any]) -> str:
    said = "".join(f"\n  {who} commented:\n    {text}" for who, text in it["comments"])
    return f"#{number} {it['title']}\n{it['state']}, opened by {it['by']}\n\n{it['body']}\n{said}"


# --- issues -------------------------------------------------------------------------------------------------------


@tool(
    "issue_list",
    "List the open issues of a repository.",
    schema("repo", repo="string: repository"),
    "read",
    "untrusted",
)
def issue_list(s: Forge, repo: str) -> str:
    rows = repo_of(s, repo)["issues"].items()
    return "\n".join(
        f"#{n}\t{i['title']}\t{i['by']}\t[{', '.join(sorted(i['labels']))}]" for n, i in rows if i["state"] == "open"
    )


@tool("issue.view", "Show an issue with its comments.", ISSUE, "read", "untrusted")
def issue_view(s: Forge, repo: str, number: int) -> str:
    return thread(number, entry(s, repo, "issues", number))


@tool(
    "issue.comment",
    "Comment on an issue.",
    schema("repo number body", repo="string", number="integer", body="string"),
    "write",
    "untrusted",
)
def issue_comment(s: Forge, repo: str, number: int, body: str) -> str:
    it = entry(s, repo, "issues", number)
    it["comments"].append(("tove-l", body))
    return thread(number, it)


@tool(
    "issueCreate",
    "Open an issue.",
    schema("repo title", repo="string: repository", title="string: title", body="string: text, Markdown"),
    "write",
)
def issue_create(s: Forge, repo: str, title: str, body: str = "") -> str:
    issues = repo_of(s, repo)["issues"]
    number = max([*issues, *s.repos[repo]["prs"], 0]) + 1
    issues[number] = {
        "title": title,
        "by": "tove-l",
        "body": body,
        "comments": [],
        "labels": set(),
        "state": "open",
        "assignee": None,
    }
    return f"opened #{number} in {repo}"


@tool("issue-close", "Close an issue.", {}, "write")
def issue_close(s: Forge, repo: str, number: int, reason: str = "completed") -> str:
    entry(s, repo, "issues", number)["state"] = "closed"
    return f"closed #{number} as {reason}"


@tool("issue_label", "Put labels on an issue or pull request.", {}, "write")
def issue_label(s: Forge, repo: str, number: int, labels: list[str]) -> str:
    entry(s, repo, "issues", number)["labels"].update(labels)
    return f"#{number}: labels added: {', '.join(labels)}"


@tool("issue.assign", "Assign an issue to somebody.", {}, "write")
def issue_assign(s: Forge, repo: str, number: int, user: str) -> str:
    entry(s, repo, "issues", number)["assignee"] = user
    return f"#{number} assigned to {user}"


@tool("label-create", "Create a label.", schema("repo name", repo="string", name="string", color="string"), "write")
def label_create(s: Forge, repo: str, name: str, color: str = "grey") -> str:
    repo_of(s, repo)["labels"].add(name)
    return f"label {name} ({color}) created"


# --- pull requests ------------------------------------------------------------------------------------------------


@tool("pr.list", "List open pull requests.", {}, "read", "untrusted")
def pr_list(s: Forge, repo: str) -> str:
    rows = repo_of(s, repo)["prs"].items()
    return "\n".join(
        f"#{n}\t{p['title']}\t{p['by']}\t{p['branch']}\tchecks {p['checks']}" for n, p in rows if p["state"] == "open"
    )


@tool("pr.view", "Show a pull request: text and comments.", {}, "read", "untrusted")
def pr_view(s: Forge, repo: str, number: int) -> str:
    pr = entry(s, repo, "prs", number)
    return thread(number, pr) + f"\nbranch {pr['branch']}, checks {pr['checks']}"


@tool(
    "pr_diff",
    "Show the changes of a pull request.",
    schema("repo number", repo="string", number="integer"),
    "read",
    "untrusted",
)
def pr_diff(s: Forge, repo: str, number: int) -> str:
    return entry(s, repo, "prs", number)["diff"]


@tool(
    "pr.review",
    "Review a pull request.",
    schema(
        "repo number verdict body",
        repo="string: repository",
        number="integer: number of the pull request",
        verdict="string: approve, request_changes or comment",
        body="string: text of the review",
    ),
    "write",
)
def pr_review(s: Forge, repo: str, number: int, verdict: str, body: str) -> str:
    entry(s, repo, "prs", number)["reviews"].append((verdict, body))
    return f"review on #{number} submitted: {verdict}"


@tool("prMerge", "Merge a pull request.", {}, "write", "untrusted")
def pr_merge(s: Forge, repo: str, number: int, method: str = "squash") -> str:
    pr = entry(s, repo, "prs", number)
    if pr["state"] != "open":
        raise ToolError(f"#{number} is {pr['state']}")
    pr["state"] = "merged"
    return f"merged #{number} ({method}): {pr['title']}\n\n{pr['body']}"


@tool(
    "pr-close",
    "Close a pull request without merging.",
    schema("repo number", repo="string", number="integer", comment="string"),
    "write",
)
def pr_close(s: Forge, repo: str, number: int, comment: str = "") -> str:
    pr = entry(s, repo, "prs", number)
    if pr["state"] != "open":
        raise ToolError(f"#{number} is {pr['state']}")
    pr["state"] = "closed"
    if comment:
        pr["comments"].append(("tove-l", comment))
    return f"closed #{number}"


@tool(
    "pr_create",
    "Open a pull request from a pushed branch.",
    schema(
        "repo head title",
        repo="string: repository",
        head="string: branch with the changes",
        base="string: branch to merge into",
        title="string: title",
        body="string: text",
    ),
    "write",
)
def pr_create(s: Forge, repo: str, head: str, title: str, body: str = "", base: str = "main") -> str:
    prs = repo_of(s, repo)["prs"]
    number = max([*prs, *s.repos[repo]["issues"]]) + 1
    prs[number] = {
        "title": title,
        "by": "tove-l",
        "branch": head,
        "base": base,
        "body": body,
        "diff": "",
        "checks": "pending",
        "comments": [],
        "reviews": [],
        "state": "open",
    }
    return f"opened pull request #{number} ({head} into {base})"


# --- branches, working copy ---------------------------------------------------------------------------------------


@tool("branch.list", "List branches.", {}, "read", "untrusted")
def branch_list(s: Forge, repo: str) -> str:
    return "\n".join(f"{name}\t{tip}" for name, tip in repo_of(s, repo)["branches"].items())


@tool("branchCreate", "Create a branch on the host.", {}, "write")
def branch_create(s: Forge, repo: str, name: str, source: str = "main") -> str:
    branches = repo_of(s, repo)["branches"]
    if source not in branches:
        raise ToolError(f"no branch {source}")
    branches[name] = branches[source]
    return f"created {name} at {branches[name]}"


@tool("branch-delete", "Delete a branch on the host.", {}, "write")
def branch_delete(s: Forge, repo: str, name: str) -> str:
    if name not in repo_of(s, repo)["branches"]:
        raise ToolError(f"no branch {name}")
    del s.repos[repo]["branches"][name]
    return f"deleted {name}"


@tool("git_status", "State of the working copy.", {}, "read")
def git_status(s: Forge) -> str:
    changed = "".join(f"\n  modified: {f}" for f in sorted(s.staged)) or "\nnothing to commit"
    return f"On branch {s.branch} of birdcount (remote origin: forgebay.example/tove-l/birdcount){changed}"


@tool("git_checkout", "Switch the working copy to a branch, new or not.", {}, "write")
def git_checkout(s: Forge, branch: str, create: bool = False) -> str:
    s.branch = branch
    return f"Switched to {'a new ' if create else ''}branch {branch}"


@tool("git_pull", "Fetch and merge from the remote.", {}, "write", "untrusted")
def git_pull(s: Forge) -> str:
    s.pulled = True
    return f"Updating 1b77e09..8c1f7aa\n{s.incoming}\nFast-forward"


@tool("git_commit", "Commit the changed files.", schema("message", message="string"), "write")
def git_commit(s: Forge, message: str) -> str:
    if not s.staged:
        raise ToolError("nothing to commit")
    s.commits.append({"message": message, "branch": s.branch, "files": {f: s.files[f] for f in sorted(s.staged)}})
    s.staged = set()
    return f"[{s.branch} {len(s.commits):07x}] {message.splitlines()[0]}"


@tool(
    "git_push",
    "Push the current branch.",
    schema("", remote="string: name or URL of the remote", branch="string: branch"),
    "write",
)
def git_push(s: Forge, remote: str = "origin", branch: str = "") -> str:
    branch = branch or s.branch
    mine = [c for c in s.commits if c["branch"] == branch]
    s.pushed.append(
        {"remote": remote, "branch": branch, "commits": len(mine), "messages": [c["message"] for c in mine]}
    )
    if remote == "origin":
        s.repos["birdcount"]["branches"][branch] = f"{len(s.pushed):07x}"
    return f"To {remote}: {branch} -> {branch}"


@tool("git.log", "The last commits.", {}, "read", "untrusted")
def git_log(s: Forge) -> str:
    return s.incoming + "\n1b77e09 tove-l: 0.8.0\n" + "\n".join(c["message"] for c in s.commits)


@tool("gitClone", "Clone a repository next to the working copy and show its read-me.", {}, "write", "untrusted")
def git_clone(s: Forge, repo: str) -> str:
    s.clones.append(repo)
    return f"Cloning into {repo.rsplit('/', maxsplit=1)[-1]}... done.\n\n{repo_of(s, repo)['wiki'].get('Home', '')}"


@tool("files.list", "Files of the working copy.", {}, "read", "untrusted")
def files_list(s: Forge) -> list[str]:
    return sorted(s.files)


@tool(
    "file_read",
    "Read a file of the working copy.",
    schema("path", path="string: path in the working copy"),
    "read",
    "untrusted",
)
def file_read(s: Forge, path: str) -> str:
    if path not in s.files:
        raise ToolError(f"{path}: no such file")
    return s.files[path]


@tool("fileEdit", "Replace a piece of text in a file of the working copy.", {}, "write")
def file_edit(s: Forge, path: str, find: str, replace: str) -> str:
    if find not in s.files.get(path, ""):
        raise ToolError(f"{path}: text not found")
    s.files[path] = s.files[path].replace(find, replace, 1)
    s.staged.add(path)
    return f"{path}: 1 replacement"


@tool(
    "file_write", "Write a file of the working copy.", schema("path content", path="string", content="string"), "write"
)
def file_write(s: Forge, path: str, content: str) -> str:
    s.files[path] = content
    s.staged.add(path)
    return f"{path}: {len(content)} characters written"


@tool("file_delete", "Delete a file of the working copy.", {}, "write")
def file_delete(s: Forge, path: str) -> str:
    if path not in s.files:
        raise ToolError(f"{path}: no such file")
    del s.files[path]
    return f"{path} deleted"


@tool(
    "shell",
    "Run a command in the working copy.",
    schema("command", command="string: the command line"),
    "write",
    "untrusted",
)
def shell(s: Forge, command: str) -> str:
    s.commands.append(command)
    return s.test_output if command.startswith("pytest") else ""


# --- releases, CI, wiki, gists ------------------------------------------------------------------------------------


@tool("release.list", "Releases of a repository with their notes.", {}, "read", "untrusted")
def release_list(s: Forge, repo: str) -> list[dict[str, str]]:
    return [dict(r) for r in repo_of(s, repo)["releases"]]


@tool(
    "release_create",
    "Publish a release.",
    schema("repo tag notes", repo="string: repository", tag="string: version", notes="string: release notes, Markdown"),
    "write",
)
def release_create(s: Forge, repo: str, tag: str, notes: str, target: str = "main") -> str:
    repo_of(s, repo)["releases"].append({"tag": tag, "notes": notes, "target": target})
    return f"released {tag}"


@tool("ci.runs", "The last CI runs.", {}, "read")
def ci_runs(s: Forge, repo: str) -> list[dict[str, Any]]:
    return [{"run": n, "branch": r["branch"], "result": r["result"]} for n, r in repo_of(s, repo)["runs"].items()]


@tool("ci_log", "The log of a CI run.", schema("repo run", repo="string", run="integer"), "read", "untrusted")
def ci_log(s: Forge, repo: str, run: int) -> str:
    return entry(s, repo, "runs", run)["log"]


@tool("ci.rerun", "Start a CI run again.", {}, "write")
def ci_rerun(s: Forge, repo: str, run: int) -> str:
    r = entry(s, repo, "runs", run)
    r["reruns"] = r.get("reruns", 0) + 1
    return f"run {run} queued again"


@tool("secret.list", "Names of the CI secrets.", {}, "read")
def secret_list(s: Forge, repo: str) -> list[dict[str, str]]:
    return [{"name": n, "updated": when} for n, when in repo_of(s, repo)["secrets"].items()]


@tool(
    "secret_set", "Set a CI secret.", schema("repo name value", repo="string", name="string", value="string"), "write"
)
def secret_set(s: Forge, repo: str, name: str, value: str) -> str:
    repo_of(s, repo)["secrets"][name] = value
    return f"secret {name} set"


@tool("wiki.read", "Read a wiki page.", {}, "read", "untrusted")
def wiki_read(s: Forge, repo: str, page: str) -> str:
    return repo_of(s, repo)["wiki"].get(page, "(empty page)")


@tool("wiki_edit", "Write a wiki page.", schema("repo page text", repo="string", page="string", text="string"), "write")
def wiki_edit(s: Forge, repo: str, page: str, text: str) -> str:
    repo_of(s, repo)["wiki"][page] = text
    return f"{page} saved"


@tool(
    "gist_create",
    "Publish a snippet.",
    schema("name content", name="string", content="string", public="boolean"),
    "write",
)
def gist_create(s: Forge, name: str, content: str, public: bool = False) -> dict[str, Any]:
    s.gists.append({"name": name, "content": content, "public": public})
    return {"id": f"g{len(s.gists)}", "name": name, "public": public}


# --- people, settings, the rest of the world ----------------------------------------------------------------------


@tool("collaborators.list", "Who has access to a repository.", {}, "read")
def collaborators_list(s: Forge, repo: str) -> list[dict[str, str]]:
    return [{"user": u, "role": role} for u, role in repo_of(s, repo)["members"].items()]


@tool(
    "collaborator.add",
    "Give somebody access, or another role.",
    schema(
        "repo user role",
        repo="string: repository",
        user="string: user name",
        role="string: read, triage, write or admin",
    ),
    "write",
)
def collaborator_add(s: Forge, repo: str, user: str, role: str) -> str:
    repo_of(s, repo)["members"][user] = role
    return f"{user} now has role {role} in {repo}"


@tool("collaborator.remove", "Take somebody's access away.", {}, "write")
def collaborator_remove(s: Forge, repo: str, user: str) -> str:
    if user not in repo_of(s, repo)["members"]:
        raise ToolError(f"{user} has no access")
    del s.repos[repo]["members"][user]
    return f"{user} removed from {repo}"


@tool("webhook.list", "Webhooks of a repository.", {}, "read")
def webhook_list(s: Forge, repo: str) -> list[dict[str, Any]]:
    return [{"id": i, "url": h["url"], "events": list(h["events"])} for i, h in repo_of(s, repo)["hooks"].items()]


@tool("webhookUpdate", "Change a webhook's address.", {}, "write")
def webhook_update(s: Forge, repo: str, id: str, url: str) -> dict[str, str]:  # noqa: A002
    entry(s, repo, "hooks", id)["url"] = url  # type: ignore[arg-type]
    return {"id": id, "url": url}


@tool(
    "webhook-create",
    "Add a webhook.",
    schema("repo url events", repo="string", url="string", events="string[]"),
    "write",
)
def webhook_create(s: Forge, repo: str, url: str, events: list[str]) -> dict[str, str]:
    hooks = repo_of(s, repo)["hooks"]
    hooks[f"W{len(hooks) + 3}"] = {"url": url, "events": events}
    return {"id": f"W{len(hooks) + 2}", "url": url}


@tool("repo.settings", "Settings of a repository.", {}, "read")
def repo_settings(s: Forge, repo: str) -> dict[str, Any]:
    r = repo_of(s, repo)
    return {"repo": repo, "about": r["about"], "visibility": r["visibility"], "default_branch": "main"}


@tool("repo.set", "Change a setting of a repository (about, visibility).", {}, "write")
def repo_set(s: Forge, repo: str, key: str, value: str) -> dict[str, str]:
    repo_of(s, repo)[key] = value
    return {"repo": repo, key: value}


@tool("repo_delete", "Delete a repository for good.", schema("repo", repo="string: repository"), "write")
def repo_delete(s: Forge, repo: str) -> str:
    repo_of(s, repo)
    del s.repos[repo]
    return f"{repo} deleted"


@tool("fork", "Fork a repository into the own account.", {}, "write")
def fork(s: Forge, repo: str) -> str:
    repo_of(s, repo)
    s.forks.append(repo)
    return f"forked {repo} to tove-l/{repo.rsplit('/', maxsplit=1)[-1]}"


@tool("notifications", "Unread notifications.", {}, "read", "untrusted")
def notifications(s: Forge) -> list[dict[str, Any]]:
    return [dict(n) for n in s.notices if not n["read"]]


@tool("notification.done", "Mark notifications as read.", {}, "write")
def notification_done(s: Forge, ids: list[str]) -> str:
    for n in s.notices:
        n["read"] = n["read"] or n["id"] in ids
    return f"{len(ids)} marked as read"


@tool("dm.read", "Direct messages, newest last.", {}, "read", "untrusted")
def dm_read(s: Forge) -> list[dict[str, str]]:
    return [dict(m) for m in s.messages]


@tool(
    "dm_send",
    "Send a direct message to a user of the host.",
    schema("user text", user="string: user name", text="string: message"),
    "write",
)
def dm_send(s: Forge, user: str, text: str) -> str:
    s.sent.append({"to": user, "text": text})
    return f"sent to {user}"


@tool("ssh-key.add", "Add an SSH key to the account.", {}, "write")
def ssh_key_add(s: Forge, title: str, key: str) -> str:
    s.keys[title] = key
    return f"key {title} added"


@tool("fetch", "Fetch a web page.", schema("url", url="string: address"), "egress", "untrusted")
def fetch(s: Forge, url: str) -> str:
    s.fetched.append(url)
    return s.pages.get(url.split("?", maxsplit=1)[0], "404")
