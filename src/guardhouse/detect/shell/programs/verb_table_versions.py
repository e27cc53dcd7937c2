"""Verbs of version control: what loses work that is not committed or not pushed, and what rewrites others' history.

Settings that make git run code are not here, they are in the table of launchers.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_LOST = Effect.DISCARDS
_CHECKOUT = "-b -B --orphan --conflict -U --unified --inter-hunk-context --pathspec-from-file"
_PUSH = "-o --push-option --repo --receive-pack --exec"

TOOLS: tuple[Tool, ...] = (
    Tool("git", "-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source --list-cmds"),
    Tool("bfg"),
    Tool("hg", "-R --repository --cwd --config --encoding -r --rev -m --message"),
    Tool("svn", "-m --message -r --revision --username --password --config-dir --config-option -F --file"),
    Tool("jj", "-R --repository --at-operation --at-op --config --config-file --color"),
    Tool("p4", "-c -d -H -p -P -u -x"),
    Tool("svnadmin"),
    Tool("repo"),
)

VERBS: tuple[Verb, ...] = (
    Verb("git", "reset", "--hard --merge", "", _LOST, "uncommitted changes are lost", "git stash, then git reset --keep", "git reset --hard HEAD~1", "git reset --soft HEAD~1"),
    Verb("git", "checkout", "-f --force", "", _LOST, "uncommitted changes are lost", "git stash, then git checkout", "git checkout -qf main", "git checkout -q main", _CHECKOUT),
    Verb("git", "checkout", "", "-b -B --orphan -t --track -d --detach -p --patch -h", _LOST, "uncommitted changes in these files are lost", "git stash push -- the files", "git checkout HEAD~2 notes.txt", "git checkout -b topic main", _CHECKOUT, "paths"),
    Verb("git", "restore", "", "-S --staged -p --patch -h", _LOST, "uncommitted changes in these files are lost", "git stash push -- the files", "git restore notes.txt", "git restore --staged notes.txt", "-s --source --conflict"),
    Verb("git", "restore", "-W --worktree", "-p --patch -h", _LOST, "uncommitted changes in these files are lost", "git stash push -- the files", "git restore -SW notes.txt", "git restore -S notes.txt", "-s --source --conflict"),
    Verb("git", "switch", "-f --force --discard-changes", "", _LOST, "uncommitted changes are lost", "git stash, then git switch", "git switch --discard-changes main", "git switch -c topic", "-c -C --create --force-create --orphan --conflict"),
    Verb("git", "clean", "-f --force", "-n --dry-run -i --interactive", _LOST, "files that git does not have are deleted", "git clean -n", "git clean -fdx", "git clean -nfd", "-e --exclude"),
    Verb("git", "clean", "-c=clean.requireforce=*", "-n --dry-run -i --interactive", _LOST, "files that git does not have are deleted", "git clean -n", "git -c clean.requireForce=false clean -d", "git -c color.ui=never clean -n", "-e --exclude"),
    Verb("git", "stash drop|clear", "", "", _LOST, "stashed changes are lost", "git stash list", "git stash drop stash@{1}", "git stash pop"),
    Verb("git", "branch", "-D", "", _LOST, "commits that no other branch has are lost", "git branch -d", "git branch -D topic", "git branch -d topic"),
    Verb("git", "branch", "-d&-f -d&--force --delete&-f --delete&--force", "", _LOST, "commits that no other branch has are lost", "git branch -d", "git branch --delete --force topic", "git branch --delete topic"),
    Verb("git", "branch * *", "-M -C", "", _LOST, "commits that only the other branch has are lost", "git branch -m", "git branch -M topic main", "git branch -M main", "-u --set-upstream-to --sort --contains"),
    Verb("git", "branch", "-f --force", "-d --delete -m --move -c --copy", _LOST, "commits that only this branch has are lost", "git branch with another name", "git branch -f main HEAD~5", "git branch topic HEAD~5", "-u --set-upstream-to --sort --contains"),
    Verb("git", "switch *~*|*^*|*@{*", "-C --force-create", "", _LOST, "commits that only this branch has are lost", "git switch -c", "git switch -C main HEAD~5", "git switch -C topic main", "-c -C --create --force-create --orphan --conflict"),
    Verb("git", "checkout *~*|*^*|*@{*", "-B", "", _LOST, "commits that only this branch has are lost", "git checkout -b", "git checkout -B main HEAD~9", "git checkout -B topic main", _CHECKOUT),
    Verb("git", "update-ref refs/heads/* *", "", "", _LOST, "a branch is pointed elsewhere, past all checks", "git branch", "git update-ref refs/heads/main HEAD~5", "git update-ref refs/tags/v1 HEAD", "-m"),
    Verb("git", "update-ref", "--stdin", "", _LOST, "branches are pointed elsewhere, past all checks", "git branch", "git update-ref --stdin", "git update-ref --help"),
    Verb("git", "send-email|imap-send", "", "--dry-run --dump-aliases -h", Effect.SENDS, "patches are sent to others by mail", "git send-email --dry-run", "git send-email --to ann@example.com a.patch", "git send-email --dry-run a.patch", "--to --cc --bcc --from --subject --smtp-server"),
    Verb("git", "maintenance start", "", "", Effect.PERSISTS, "a job is set up that runs again and again", "git maintenance run", "git maintenance start", "git maintenance run"),
    Verb("git", "push", "-f --force", "-n --dry-run", _LOST, "commits of others on the remote are overwritten", "git push --force-with-lease", "git push -uf origin topic", "git push --force-with-lease origin topic", _PUSH),
    Verb("git", "push", "--mirror --prune", "-n --dry-run", _LOST, "branches that are only on the remote are deleted", "git push --all", "git push --mirror backup", "git push --all backup", _PUSH),
    Verb("git", "push", "-d --delete", "-n --dry-run", _LOST, "a branch or tag is deleted on the remote", "", "git push origin --delete topic", "git push origin topic", _PUSH),
    Verb("git", "push", "", "-n --dry-run", _LOST, "a branch on the remote is overwritten or deleted", "git push --force-with-lease", "git push origin +topic", "git push origin topic:topic", _PUSH, "forced refs"),
    Verb("git", "reflog expire|delete", "", "-n --dry-run", _LOST, "the way back to earlier commits is lost", "", "git reflog expire --expire=now --all", "git reflog show"),
    Verb("git", "gc", "--prune=now --prune=all", "", _LOST, "commits that no branch has are deleted", "git gc", "git gc --prune=now", "git gc --auto"),
    Verb("git", "prune", "--expire=now --expire=all", "-n --dry-run", _LOST, "commits that no branch has are deleted", "git gc", "git prune --expire=now", "git prune -n", "--expire"),
    Verb("git", "update-ref", "-d", "", _LOST, "a branch or tag is deleted", "git branch -d", "git update-ref -d refs/heads/topic", "git update-ref refs/tags/v1 HEAD"),
    Verb("git", "filter-branch|filter-repo", "", "--dry-run --analyze", _LOST, "the history is rewritten", "", "git filter-branch --tree-filter true HEAD", "git filter-repo --analyze"),
    Verb("git", "worktree remove", "-f --force", "", _LOST, "uncommitted changes in the other working tree are lost", "git worktree remove", "git worktree remove -f ../other", "git worktree remove ../other"),
    Verb("git", "submodule deinit", "-f --force", "", _LOST, "uncommitted changes in the submodule are lost", "git submodule deinit", "git submodule deinit -f lib", "git submodule deinit lib"),
    Verb("git", "rm", "-f --force", "-n --dry-run --cached", _LOST, "files with uncommitted changes are deleted", "git rm", "git rm -rf src", "git rm -r --cached src"),
    Verb("git", "mv", "-f --force", "-n --dry-run", _LOST, "a file is overwritten", "git mv", "git mv -f new.txt old.txt", "git mv new.txt old.txt"),
    Verb("git", "read-tree", "--reset&-u", "-n --dry-run", _LOST, "uncommitted changes are lost", "git read-tree -m -u", "git read-tree --reset -u HEAD", "git read-tree -m HEAD"),
    Verb("git", "checkout-index", "-f --force", "", _LOST, "uncommitted changes are lost", "git checkout-index -a", "git checkout-index -fa", "git checkout-index --prefix=out/ -a"),
    Verb("git", "symbolic-ref * *", "", "", _LOST, "HEAD or another name is pointed elsewhere, past all checks", "git switch", "git symbolic-ref HEAD refs/heads/topic", "git symbolic-ref --short HEAD", "-m"),
    Verb("git", "symbolic-ref", "-d --delete", "", _LOST, "HEAD or another name is deleted", "", "git symbolic-ref -d refs/remotes/origin/HEAD", "git symbolic-ref -q HEAD"),
    Verb("git", "replace * *", "", "-l --list", _LOST, "an object of the history is replaced by another", "", "git replace HEAD~1 topic", "git replace -l 'v1 *'"),
    Verb("git", "replace", "-d --delete -f --force --edit --graft --convert-graft-file", "", _LOST, "an object of the history is replaced by another", "", "git replace --edit HEAD", "git replace --list"),
    Verb("git", "lfs prune", "", "-d --dry-run", _LOST, "large files are deleted that may be nowhere else", "git lfs prune --dry-run", "git lfs prune", "git lfs prune --dry-run"),
    Verb("git", "lfs migrate import|export", "", "", _LOST, "the history is rewritten", "git lfs migrate info", "git lfs migrate import --everything", "git lfs migrate info"),
    Verb("git", "annex drop|dropunused|dropkey", "--force", "", _LOST, "large files are deleted that may be nowhere else", "git annex drop", "git annex drop --force big.bin", "git annex drop big.bin"),
    Verb("git", "credential fill", "", "", Effect.READS, "a stored password is shown", "", "git credential fill", "git credential approve"),
    Verb("git", "credential-store|credential-osxkeychain|credential-libsecret|credential-manager get", "", "", Effect.READS, "a stored password is shown", "", "git credential-store get", "git credential-store store", "--file"),
    Verb("git", "daemon", "--export-all --enable=receive-pack", "", Effect.LISTENS, "repositories are offered to the network", "", "git daemon --export-all", "git daemon --base-path=public"),
    Verb("bfg", "**", "--delete-files --delete-folders --strip-blobs-bigger-than --strip-blobs-with-ids --replace-text -D -b -bi -rt", "", _LOST, "the history is rewritten", "", "bfg --delete-files dump.bin", "bfg --version"),
    Verb("hg", "update|up|checkout|co|goto", "-C --clean", "", _LOST, "uncommitted changes are lost", "hg shelve, then hg update", "hg update --clean tip", "hg update tip"),
    Verb("hg", "revert", "-C --no-backup -a --all", "-n --dry-run", _LOST, "uncommitted changes are lost", "hg shelve", "hg revert --all", "hg revert --all --dry-run"),
    Verb("hg", "purge|clean", "", "-p --print", _LOST, "files that Mercurial does not have are deleted", "hg purge --print", "hg purge --all", "hg purge --print"),
    Verb("hg", "strip|debugstrip|prune|rollback|debugobsolete", "", "-n --dry-run", _LOST, "commits are removed from the history", "", "hg strip tip", "hg log tip"),
    Verb("hg", "push", "-f --force", "", _LOST, "new heads are forced on others", "hg push", "hg push -f", "hg push"),
    Verb("hg", "shelve", "-d --delete --cleanup", "", _LOST, "shelved changes are lost", "", "hg shelve --cleanup", "hg shelve --list"),
    Verb("svn", "revert", "", "", _LOST, "uncommitted changes are lost", "svn diff, kept in a file", "svn revert -R .", "svn diff"),
    Verb("svn", "delete|del|remove|rm *://*|^/*", "", "", _LOST, "files are deleted on the server at once", "", "svn rm -m gone https://svn.example.com/repo/trunk", "svn rm old.txt"),
    Verb("svn", "delete|del|remove|rm", "--force", "", _LOST, "files with uncommitted changes are deleted", "svn rm", "svn rm --force notes.txt", "svn rm notes.txt"),
    Verb("svn", "cleanup", "--remove-unversioned --remove-ignored", "", _LOST, "files that Subversion does not have are deleted", "svn status", "svn cleanup --remove-unversioned", "svn cleanup"),
    Verb("svnadmin", "rmtxns|setrevprop|setuuid", "", "", _LOST, "the repository's records are changed", "", "svnadmin setuuid repo", "svnadmin verify repo"),
    Verb("jj", "op|operation abandon", "", "", _LOST, "the way back to earlier states is lost", "jj op restore", "jj op abandon ..@-", "jj op log"),
    Verb("jj", "util gc", "--expire=now", "", _LOST, "earlier states are deleted", "", "jj util gc --expire=now", "jj util gc"),
    Verb("jj", "git push", "--deleted --delete", "--dry-run", _LOST, "branches are deleted on the remote", "jj git push --dry-run", "jj git push --deleted", "jj git push"),
    Verb("p4", "obliterate", "-y", "", _LOST, "files are removed from the server with their history", "", "p4 obliterate -y //depot/old/...", "p4 obliterate //depot/old/..."),
    Verb("p4", "revert", "", "-n -a", _LOST, "uncommitted changes are lost", "p4 shelve", "p4 revert //...", "p4 revert -n //..."),
    Verb("repo", "sync", "--force-sync --force-remove-dirty --force-checkout", "", _LOST, "local changes in the projects are lost", "repo sync", "repo sync --force-sync", "repo sync -j4"),
)
