"""Ways to have code run by programs that start, schedule, confine and administer.

Rows are facts about programs, one a line: name, where the code stands, how to read it, what to strip, other options
that take a value, an example (its code has `payload` in it) and a harmless use. `launchers.py` tells how to read them.
"""
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from guardhouse.detect.shell.programs.interface import Launcher

# One entry a line.
# fmt: off
LAUNCHERS: Final[tuple[Launcher, ...]] = (
    # later, or again and again
    Launcher("watch", "--", "shell", "", "-n --interval -q --equexit --differences? -s", "watch -n 1 'payload -c'", "watch --version"),
    Launcher("viddy hwatch", "--", "shell", "", "-n --interval", "viddy -n 1 payload -c", "viddy --version"),
    Launcher("at batch", "!-l|-d|-r|-c|-f|-V stdin", "shell", "", "-q -t", "at now", "at -l"),
    Launcher("at batch", "-f", "program", "@scratch", "", "at -f /tmp/payload.sh now", "at -d 3"),
    Launcher("crontab", "!-l|-r|-e !1 stdin", "other", "", "-u", "crontab -", "crontab -l"),
    Launcher("crontab", "!-l|-r|-e 1", "program", "@scratch", "", "crontab -u ada /tmp/payload", "crontab -l"),
    Launcher("fcrontab incrontab", "!-l|-r|-e|-d|-t 1", "program", "", "-u", "incrontab payload", "incrontab -l"),
    Launcher("systemd-run", "-p|--property", "shell", "execstartpre= execstart= execstartpost= execstop= execstoppost= execcondition= execreload=", "-u --unit --uid --gid -M -H --slice --description --on-active --on-boot --on-calendar --on-startup --timer-property -E --setenv --nice --working-directory --service-type", "systemd-run -p ExecStartPre='payload -c' true", "systemd-run -p MemoryMax=1G true"),
    Launcher("systemctl", "link|enable|start|reenable|restart 1", "program", "*/<", "-H -M -t -p -n -o -s --root", "systemctl link ./payload.service", "systemctl start nginx"),
    Launcher("launchctl", "submit -p", "program", "", "-l -o -e", "launchctl submit -l x -p ./payload", "launchctl list"),
    Launcher("launchctl", "load|bootstrap *", "program", "*/<", "", "launchctl load /tmp/payload", "launchctl list x"),
    Launcher("schtasks", "/tr|/TR", "other", "", "", "schtasks /create /tn x /tr payload", "schtasks /query"),
    # as somebody else
    Launcher("runuser", "-c|--command|--session-command", "shell", "", "-g -G -s --shell -u -w", "runuser ada -c 'payload -c'", "runuser --version"),
    Launcher("runuser su", "-s|--shell", "program", "", "-c -g -G -w", "runuser -s ./payload ada", "runuser -l ada"),
    Launcher("sg", "-c", "shell", "", "", "sg adm -c 'payload -c'", "sg adm"),
    Launcher("ksu", "-e", "argv", "", "-n -c -r  -a", "ksu -q -e payload -c", "ksu ada"),
    Launcher("ksu", "-a", "shell", "", "", "ksu ada -a 'payload -c'", "ksu -k"),
    Launcher("capsh", "2", "shell", "", "", "capsh -- -c 'payload -c'", "capsh --print"),
    Launcher("agetty getty mingetty", "-l|--login-program", "program", "", "-a -f -I -H -o -r -t", "agetty -l ./payload -a root tty1", "agetty tty1"),
    Launcher("start-stop-daemon", "-x|--exec|-a|--startas", "program", "", "--start? -p --pidfile -u --user -n --name -s --signal -c --chuid -d --chdir -r --chroot -R --retry -g --group -N --nicelevel -k --umask", "start-stop-daemon -S -x ./payload -- -c", "start-stop-daemon -K -p a.pid"),
    Launcher("service", "1", "program", "*/<", "", "service ../../bin/payload", "service nginx restart"),
    Launcher("run-parts", "1", "program", "", "-a --arg --regex -u --umask --lsbsysinit?", "run-parts --regex '^a$' payload", "run-parts --version"),
    Launcher("genie", "-c|--command", "argv", "", "-a", "genie -c payload -c", "genie -s"),
    Launcher("flock", "-c|--command", "shell", "", "-w --wait --timeout -E --conflict-exit-code", "flock a.lock -c 'payload -c'", "flock -u 9"),
    # libraries and modules
    Launcher("ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld-musl-x86_64.so.1", "--preload|--audit", "program", "", "--library-path --inhibit-rpath --argv0", "ld.so --preload ./payload.so /bin/ls", "ld.so --list /bin/ls"),
    Launcher("enable", "-f", "program", "", "", "enable -f ./payload.so x", "enable -n test"),
    Launcher("bash", "--rcfile|--init-file", "program", "@scratch", "-o -O -c!", "bash --rcfile /tmp/payload -i", "bash --norc a.sh"),
    Launcher("runscript minicom", "1", "program", "@scratch", "-D -b -C -S", "runscript /tmp/payload", "minicom -s"),
    Launcher("insmod kextload", "1", "program", "", "", "insmod ./payload.ko", "insmod --version"),
    Launcher("modprobe", "-C|--config|-d|--dirname", "program", "", "-S", "modprobe -d payload x", "modprobe loop"),
    Launcher("sysctl", "*", "shell", "kernel.core_pattern=| kernel/core_pattern=| kernel.modprobe= kernel/modprobe= kernel.hotplug= kernel.poweroff_cmd=", "-p? -f? -r --pattern", "sysctl -w 'kernel.core_pattern=|payload %p'", "sysctl -w net.ipv4.ip_forward=1"),
    Launcher("ldconfig", "-f", "program", "", "-C -r", "ldconfig -f payload.conf", "ldconfig -p"),
    Launcher("dmsetup", "--exec", "shell", "", "-c -o --target --table", "dmsetup ls --exec 'payload -s'", "dmsetup ls"),
    Launcher("pidstat", "-e", "argv", "", "-p -C -G  -T", "pidstat -e payload -c", "pidstat -p 1 1"),
    Launcher("busctl gdbus dbus-send dbus-monitor", "--address|-a|--peer", "program", "**unixexec:path=>,", "-H -M --match", "busctl --address=unixexec:path=./payload,argv1=-c", "busctl --user list"),
    Launcher("gpg gpg2", "--photo-viewer|--exec-path|--agent-program|--dirmngr-program|--keyboxd-program", "shell", "", "-o --output -r --recipient -u --local-user --homedir --keyring --keyserver --passphrase --passphrase-file --default-key", "gpg --photo-viewer 'payload %i' --list-keys", "gpg -o a -r ada -e b"),
    Launcher("gpg-agent", "--pinentry-program|--scdaemon-program", "program", "", "--homedir", "gpg-agent --daemon --pinentry-program ./payload", "gpg-agent --daemon"),
    Launcher("gpgconf gpg-connect-agent", "*", "shell", "/run~ /serverpid~", "", "gpg-connect-agent '/run payload' /bye", "gpg-connect-agent reloadagent /bye"),
    Launcher("kubectl oc helm", "--kubeconfig", "program", "@scratch", "", "kubectl get pods --kubeconfig=/tmp/payload", "kubectl get pods"),
    Launcher("helm", "--post-renderer", "program", "@scratch", "-n -f --set --namespace --values --version --repo", "helm install a b --post-renderer /tmp/payload", "helm install a b"),
    Launcher("terraform tofu terragrunt", "--terragrunt-tfpath|--tf-path|--terragrunt-auth-provider-cmd|--auth-provider-cmd", "program", "", "", "terragrunt plan --terragrunt-tfpath ./payload", "terragrunt plan"),
    Launcher("consul", "watch 1", "program", "*/<", "-type -key -service", "consul watch -type key -key a ./payload", "consul members"),
    Launcher("consul", "exec --", "shell", "", "-node -service -tag", "consul exec -node a payload -c", "consul kv get a"),
    Launcher("sops", "exec-env|exec-file 2", "shell", "", "-k --kms --config", "sops exec-env a.yaml 'payload -c'", "sops -d a.yaml"),
    Launcher("debugfs", "-R", "shell", "!", "-b -s -d -i?", "debugfs -R '!payload'", "debugfs -R stats a.img"),
    Launcher("debugfs", "-f", "program", "@scratch", "", "debugfs -f /tmp/payload a.img", "debugfs a.img"),
    Launcher("debugfs tasksh tdbtool ginsh cpan ncftp xfs_db parted gparted", "!-R|-f|-s stdin", "other", "", "", "debugfs", "debugfs --version"),
    Launcher("facter", "--custom-dir|--external-dir", "program", "@scratch", "", "facter --custom-dir /tmp/payload x", "facter os"),
    # builtins of the shell itself
    Launcher("complete compgen", "-C", "shell", "", "-A -G -W -F -P -S -X -o", "compgen -C payload x", "compgen -W 'a b' x"),
    Launcher("mapfile readarray", "-C", "shell", "", "-d -n -O -s -u -c", "mapfile -C payload -c 1 a", "mapfile -t a"),
    Launcher("bind", "-x", "shell", "*:", "-m -f -q -u -r", "bind -x '\"a\":payload'", "bind -p"),
    Launcher("hash", "-p", "program", "", "", "hash -p ./payload ls", "hash -r"),
    Launcher("fc", "-e", "shell", "", "", "fc -e payload 1", "fc -l"),
    Launcher("unset let", "*", "shell", "**[$( **[`", "", "unset 'a[$(payload)]'", "unset a"),
    Launcher("test [ printf", "-v", "shell", "**[$( **[`", "", "test -v 'a[$(payload)]'", "test -v a"),
    Launcher("nu elvish xonsh rc es", "-c|--commands", "other", "", "-e --execute --config", "nu -c payload", "nu a.nu"),
)
# fmt: on
