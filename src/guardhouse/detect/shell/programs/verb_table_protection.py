"""Verbs that switch off what protects or runs a machine: firewalls, access control, logs, the kernel, the power.

Starting, stopping and restarting ordinary services is not here.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_OFF = Effect.MUTATES
_MORE = Effect.ESCALATES
_HELP = "--help -h --version"
_GUARDS = (
    "ssh|ssh.*|sshd|sshd.*|auditd*|firewalld*|ufw|ufw.*|nftables*|iptables*|ip6tables*|apparmor*|selinux*|clam*|fail2ban*|crowdsec*|rsyslog*"
    "|syslog|syslog.*|syslog-ng*|systemd-journald*|falco*|falcon-sensor*|wazuh*|ossec*|osquery*|sysmon*|aide*|mdatp*|samhain*|tripwire*|suricata*"
    "|snort*|crowdstrike*|cbagentd*|cbdaemon*|sentinelone*|sophos*|sav-protect*|ds_agent*|qualys*|nessusagent*|apport-noui|unattended-upgrades*"
    "|networkmanager*|systemd-networkd*|networking*|network|network.*|guardhouse*"
)
_KERNEL = (
    "kernel.randomize_va_space|kernel.yama.*|kernel.kptr_restrict|kernel.dmesg_restrict|kernel.unprivileged*|kernel.core_pattern|kernel.modprobe"
    "|kernel.modules_disabled|kernel.sysrq|kernel.perf_event_paranoid|kernel.apparmor*|kernel.kexec*|kernel.hotplug|kernel.panic|fs.suid_dumpable"
    "|fs.protected_*|net.ipv4.ip_forward|net.ipv4.conf.*.rp_filter|net.ipv4.conf.*.accept_redirects|vm.mmap_min_addr|vm.unprivileged*"
)
_KERNEL_SET = "|".join(f"{key}=*" for key in _KERNEL.split("|"))

TOOLS: tuple[Tool, ...] = (
    Tool("systemctl", "-H --host -M --machine -t --type -s --signal -n --lines -o --output --root"),
    Tool("service rc-service invoke-rc.d"),
    Tool("initctl"),
    Tool("chkconfig update-rc.d rc-update sysv-rc-conf", "--level"),
    Tool("supervisorctl", "-c --configuration -s --serverurl -u -p"),
    Tool("iptables ip6tables iptables-legacy iptables-nft", "-t --table -A -D -I -R -P --policy -p --protocol -s -d -i -o -j --jump -m --match --dport --sport"),
    Tool("iptables-restore ip6tables-restore"),
    Tool("nft", "-f --file -I"),
    Tool("ufw"),
    Tool("firewall-cmd"),
    Tool("pfctl", "-f -a -t -T"),
    Tool("setenforce"),
    Tool("setsebool semanage semodule", "-t --type -a -i"),
    Tool("aa-teardown aa-disable aa-complain", "-d"),
    Tool("apparmor_parser"),
    Tool("auditctl", "-e -b -f -r -a -d -w -W -k -F -S"),
    Tool("sysctl", "-p --load -r --pattern"),
    Tool("insmod"),
    Tool("modprobe", "-d --dirname -C --config -S --set-version"),
    Tool("rmmod"),
    Tool("kexec", "--initrd --append --command-line"),
    Tool("kill"),
    Tool("pkill killall skill killall5", "-s --signal -u --user -U --uid -t --terminal -g --pgroup -P --parent -o -y"),
    Tool("shutdown"),
    Tool("reboot halt poweroff"),
    Tool("init telinit"),
    Tool("history"),
    Tool("dmesg", "-l --level -f --facility -F --file -s -n --console-level"),
    Tool("faillock pam-auth-update authselect authconfig", "--user"),
    Tool("grub-install grub2-install efibootmgr update-grub grubby", "-b --bootnum -d --disk -L --label -l --loader"),
)

VERBS: tuple[Verb, ...] = (
    Verb("systemctl", f"stop|disable|kill|revert ** {_GUARDS}", "", "--dry-run", _OFF, "something that protects the machine, or lets its keepers in, is switched off", "systemctl status", "systemctl stop --now auditd.service", "systemctl stop nginx"),
    Verb("systemctl", "mask", "", "--dry-run", _OFF, "a service can't be started any more", "systemctl disable", "systemctl mask cron", "systemctl unmask cron"),
    Verb("systemctl", "poweroff|reboot|halt|kexec|rescue|emergency|soft-reboot|suspend|hibernate|exit|switch-root|default", "", "--dry-run", _OFF, "the machine is stopped", "", "systemctl reboot", "systemctl restart nginx"),
    Verb("systemctl", "isolate|set-default", "", "--dry-run", _OFF, "most services are stopped, now or at the next start", "systemctl get-default", "systemctl isolate rescue.target", "systemctl get-default"),
    Verb("service", f"{_GUARDS} stop|disable|force-stop", "", "", _OFF, "something that protects the machine, or lets its keepers in, is switched off", "service auditd status", "service auditd stop", "service nginx stop"),
    Verb("initctl", f"stop {_GUARDS}", "", "", _OFF, "something that protects the machine, or lets its keepers in, is switched off", "initctl status", "initctl stop auditd", "initctl stop web"),
    Verb("chkconfig", f"{_GUARDS} off|remove|disable", "", "", _OFF, "something that protects the machine is not started any more", "chkconfig --list", "chkconfig auditd off", "chkconfig --list auditd"),
    Verb("chkconfig", f"del|delete|disable|remove ** {_GUARDS}", "", "", _OFF, "something that protects the machine is not started any more", "rc-update show", "rc-update del auditd", "rc-update show"),
    Verb("supervisorctl", "shutdown", "", "", _OFF, "every service it keeps is stopped", "supervisorctl status", "supervisorctl shutdown", "supervisorctl restart web"),
    Verb("iptables", "**", "-F --flush -X --delete-chain -Z&-F", "-h --help", _OFF, "the rules of the firewall are deleted", "iptables -S", "iptables -t nat -F", "iptables -S"),
    Verb("iptables", "accept", "-P --policy", "", _OFF, "the firewall lets everything through", "iptables -S", "iptables -P INPUT ACCEPT", "iptables -P INPUT DROP"),
    Verb("iptables-restore", "**", "", "-t --test -h --help -V --version", _OFF, "the rules of the firewall are replaced", "iptables-restore --test", "iptables-restore rules.v4", "iptables-restore --test rules.v4"),
    Verb("nft", "flush ruleset|table|chain", "", "-c --check", _OFF, "the rules of the firewall are deleted", "nft list ruleset", "nft flush ruleset", "nft list ruleset"),
    Verb("nft", "delete|destroy table|chain|rule", "", "-c --check", _OFF, "rules of the firewall are deleted", "nft list ruleset", "nft delete table inet filter", "nft add table inet filter"),
    Verb("ufw", "** disable|reset", "", "--dry-run", _OFF, "the firewall is switched off", "ufw status", "ufw --force reset", "ufw status"),
    Verb("ufw", "default allow", "", "--dry-run", _OFF, "the firewall lets everything through", "ufw status verbose", "ufw default allow", "ufw default deny"),
    Verb("firewall-cmd", "**", "--panic-on --panic-off --set-default-zone=trusted --complete-reload --reset-to-defaults --set-target=accept", "", _OFF, "the firewall lets everything through, or nothing", "firewall-cmd --list-all", "firewall-cmd --set-default-zone=trusted", "firewall-cmd --list-all"),
    Verb("pfctl", "**", "-d -F", "-n", _OFF, "the firewall is switched off or its rules are deleted", "pfctl -s rules", "pfctl -d", "pfctl -s rules"),
    Verb("setenforce", "0|permissive", "", "", _OFF, "access control is switched off", "getenforce", "setenforce 0", "setenforce 1"),
    Verb("setsebool", "permissive", "", "-l --list", _OFF, "access control is switched off for a kind of programs", "semanage permissive -l", "semanage permissive -a httpd_t", "semanage permissive -l"),
    Verb("setsebool", "**", "-r --remove -d --disable", "-l --list -h --help", _OFF, "a part of access control is removed", "semodule -l", "semodule -r shop", "semodule -l"),
    Verb("aa-teardown", "**", "", _HELP, _OFF, "access control is switched off", "aa-status", "aa-disable usr.sbin.nginx", "aa-disable --help"),
    Verb("apparmor_parser", "**", "-R --remove", "", _OFF, "access control is switched off for a program", "aa-status", "apparmor_parser -R profile", "apparmor_parser -r profile"),
    Verb("auditctl", "**", "-e=0 -D -d -W", "", _OFF, "the audit log is switched off", "auditctl -s", "auditctl -e 0", "auditctl -s"),
    Verb("sysctl", f"** {_KERNEL_SET}", "", "-n --values -a --all", _OFF, "a safeguard of the kernel is changed", "sysctl with the name only", "sysctl -w kernel.randomize_va_space=0", "sysctl -w vm.swappiness=10"),
    Verb("insmod", "**", "", _HELP + " -V", _MORE, "code is loaded into the kernel", "modinfo", "insmod ./shop.ko", "insmod --version"),
    Verb("modprobe", "*", "", "-n --dry-run --show -c --showconfig -D --show-depends -V --version -h --help", _MORE, "code is loaded into the kernel, or taken out of it", "modprobe -n", "modprobe -r shop", "modprobe -n shop"),
    Verb("rmmod", "*", "", _HELP + " -V", _OFF, "code is taken out of the kernel", "lsmod", "rmmod shop", "rmmod --version"),
    Verb("kexec", "**", "-l --load -e --exec -p --load-panic -f --force", "", _MORE, "another kernel is started, past all checks", "", "kexec -l vmlinuz", "kexec --version"),
    Verb("kill", "**", "", "-0 -l -L --list --table", _OFF, "every process, or the first one, is ended", "kill with one process's number", "kill -9 -1", "kill -1 4321", "", "everyone"),
    Verb("pkill", f"** init|systemd|launchd|{_GUARDS}", "", "-l --list -0 --version", _OFF, "the machine, or something that protects it, is stopped", "pgrep", "pkill -9 systemd", "pkill -f server.py"),
    Verb("pkill", "**", "-u=root --user=root -u=0 -U=0 -U=root", "-l --list -0", _OFF, "every process of root is ended", "pgrep", "pkill -9 -u root", "pkill -u ann vim"),
    Verb("pkill", "**", "", "-l --list -0", _OFF, "every process, or the first one, is ended", "pgrep", "killall -9 -1", "killall -9 node", "", "everyone"),
    Verb("shutdown", "**", "", "-c -k --help --show", _OFF, "the machine is stopped", "shutdown -c", "shutdown -h now", "shutdown -c"),
    Verb("reboot", "**", "", "--help -w --wtmp-only --version", _OFF, "the machine is stopped", "", "reboot", "reboot --help"),
    Verb("init", "0|1|6|s|single", "", "", _OFF, "the machine is stopped", "", "init 0", "init q"),
    Verb("history", "**", "-c -d", "", _OFF, "the record of what was done here is deleted", "history", "history -c", "history 20"),
    Verb("dmesg", "**", "-C --clear -c --read-clear", "", _OFF, "the kernel's log is deleted", "dmesg", "dmesg -C", "dmesg -T"),
    Verb("faillock", "**", "--reset --remove --force --disableshadow", "", _OFF, "rules for logging in are changed", "", "faillock --user ann --reset", "faillock --user ann"),
    Verb("grub-install", "**", "-B --delete-bootnum --remove-kernel --remove-args --set-default", "", _OFF, "how the machine starts is changed", "efibootmgr -v", "efibootmgr -b 0001 -B", "efibootmgr -v"),
)
