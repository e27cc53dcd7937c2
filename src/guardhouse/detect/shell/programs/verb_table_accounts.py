"""Verbs that make or change accounts, show stored keys, or have something run later: ways to get in, and to stay.

Files that do the same when they are written (`authorized_keys`, `/etc/cron.d`) are judged as paths, elsewhere.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.acts import Scope
from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_MORE = Effect.ESCALATES
_STAYS = Effect.PERSISTS
_SHOWS = Effect.READS
_GONE = Effect.MUTATES
_HELP = "--help -h --version"

TOOLS: tuple[Tool, ...] = (
    Tool("useradd adduser", "-u --uid -g --gid -G --groups -d --home -s --shell -c --comment -p --password -k -b"),
    Tool("usermod", "-u --uid -g --gid -G --groups -d --home -s --shell -c --comment -p --password -l --login -e -f"),
    Tool("userdel deluser"),
    Tool("groupadd addgroup groupmod groupdel delgroup", "-g --gid -n --new-name"),
    Tool("gpasswd", "-a --add -d --delete -A -M"),
    Tool("passwd", "-n -x -w -i --mindays --maxdays"),
    Tool("chpasswd newusers chgpasswd", "-c --crypt-method"),
    Tool("chsh", "-s --shell"),
    Tool("visudo vipw vigr", "-f --file"),
    Tool("setcap"),
    Tool("crontab", "-u"),
    Tool("at batch", "-f -q -t"),
    Tool("loginctl"),
    Tool("ssh-copy-id", "-i -p -o -F", Scope.REMOTE),
    Tool("gpg gpg2", "--homedir -o --output -u --local-user -r --recipient --passphrase --export"),
    Tool("secret-tool", ""),
    Tool("realm", "-U --user"),
    Tool("tailscale", "--socket"),
)

VERBS: tuple[Verb, ...] = (
    Verb("useradd", "**", "", _HELP, _STAYS, "an account is made", "", "useradd -m ann", "useradd --help"),
    Verb("usermod", "**", "", _HELP, _MORE, "an account or its groups are changed", "", "usermod -aG docker ann", "usermod --help"),
    Verb("userdel", "**", "", _HELP, _GONE, "an account is deleted", "passwd -l", "userdel -r ann", "userdel --help"),
    Verb("groupadd", "**", "", _HELP, _MORE, "a group is made, changed or deleted", "", "groupadd ops", "groupadd --help"),
    Verb("gpasswd", "**", "", _HELP, _MORE, "who is in a group is changed", "", "gpasswd -a ann docker", "gpasswd --help"),
    Verb("passwd", "**", "", "-S --status --help -?", _MORE, "a password is changed", "", "passwd ann", "passwd -S ann"),
    Verb("chpasswd", "**", "", _HELP, _MORE, "passwords are changed", "", "chpasswd", "chpasswd --help"),
    Verb("chsh", "**", "", "-l --list-shells --help -h --version", _STAYS, "the program that is run at each log-in is changed", "", "chsh -s /bin/zsh ann", "chsh -l"),
    Verb("visudo", "**", "", "-c --check --help -h --version -V", _MORE, "who may do what as root is changed", "visudo -c", "visudo -f ops", "visudo -c"),
    Verb("setcap", "** *setuid*|*setgid*|*dac_*|*sys_admin*|*sys_ptrace*|*sys_module*|*chown*|*fowner*|*setfcap*|*all*|=ep*", "", "-v", _MORE, "a program gets powers of root", "", "setcap cap_setuid+ep ./tool", "setcap cap_net_bind_service+ep ./server"),
    Verb("crontab", "**", "-r", "", _GONE, "every scheduled job is deleted", "crontab -l", "crontab -r", "crontab -l"),
    Verb("crontab", "*", "", "-l -e -r -T --help", _STAYS, "the scheduled jobs are replaced", "crontab -l", "crontab -u ann jobs.txt", "crontab -u ann -l"),
    Verb("at", "*", "", "-l -r -d -c -V", _STAYS, "a command is set to run later", "at -l", "at now + 5 minutes", "at -l"),
    Verb("loginctl", "enable-linger|terminate-user|kill-user|terminate-seat", "", "", _STAYS, "programs run on after log-out, or someone is thrown out", "loginctl list-users", "loginctl enable-linger ann", "loginctl list-users"),
    Verb("ssh-copy-id", "*", "", "-n -h -?", _STAYS, "a key is let in on another machine", "ssh-copy-id -n", "ssh-copy-id -i key.pub ann@host.example.com", "ssh-copy-id -n ann@host.example.com"),
    Verb("gpg", "**", "--export-secret-keys --export-secret-subkeys", "", _SHOWS, "private keys are shown", "gpg --list-secret-keys", "gpg --armor --export-secret-keys ann", "gpg --armor --export ann"),
    Verb("gpg", "**", "--delete-secret-keys --delete-secret-key --delete-secret-and-public-key", "", _GONE, "private keys are deleted", "gpg --list-secret-keys", "gpg --delete-secret-keys ann", "gpg --list-secret-keys"),
    Verb("secret-tool", "lookup|search|clear", "", "", _SHOWS, "a stored password is shown or deleted", "", "secret-tool lookup service mail", "secret-tool store --label=x service mail"),
    Verb("realm", "join|leave|permit|deny", "", "", _MORE, "who may log in is changed", "realm list", "realm permit --all", "realm list"),
    Verb("tailscale", "up|set|funnel", "--ssh --advertise-exit-node --advertise-routes", "", _MORE, "this machine is opened to others", "tailscale status", "tailscale up --ssh", "tailscale up"),
)
