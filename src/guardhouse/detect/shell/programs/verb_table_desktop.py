"""Verbs of the system tools of macOS and Windows: what erases, what switches protection off, and what stays for good.

Windows tools spell their options `/add`; these are compared like words of the verb.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_GONE = Effect.MUTATES
_SHOWS = Effect.READS
_MORE = Effect.ESCALATES
_STAYS = Effect.PERSISTS
_GUARDS = (
    "windefend|sense|wdnissvc|mpssvc|wscsvc|wuauserv|eventlog|securityhealthservice|bits|vss|swprv|wbengine|sysmon*|sql*|veeam*|mbamservice"
    "|sophos*|mcafee*|symantec*|csfalconservice|carbonblack*|sentinelagent|cylancesvc"
)
_RUN_KEYS = (
    r"*\currentversion\run*|*\winlogon*|*\image*file*execution*options*|*\currentcontrolset\services*|*\lsa*|*\appinit*|*\policies\*"
    r"|*\windows*defender*|*\ms-settings\*|*\mscfile\*|*\exefile\*|*\terminal*server*|*\wdigest*|*\active*setup*|*\userinitmprlogonscript*"
)

TOOLS: tuple[Tool, ...] = (
    Tool("launchctl"),
    Tool("security", "-a -s -l -D -k -p -P -t -c -o -r -d"),
    Tool("dscl", "-u -P"),
    Tool("dseditgroup sysadminctl", "-a -t -u -p -n -r"),
    Tool("csrutil"),
    Tool("spctl"),
    Tool("tmutil"),
    Tool("diskutil"),
    Tool("defaults"),
    Tool("fdesetup", "-user -usertoremove"),
    Tool("nvram bless"),
    Tool("systemsetup"),
    Tool("kextload kextunload kmutil"),
    Tool("tccutil"),
    Tool("profiles", "-F -p"),
    Tool("softwareupdate"),
    Tool("wmic"),
    Tool("reg"),
    Tool("net net1"),
    Tool("schtasks"),
    Tool("sc"),
    Tool("bcdedit"),
    Tool("vssadmin"),
    Tool("wbadmin"),
    Tool("wevtutil"),
    Tool("netsh"),
    Tool("fsutil"),
    Tool("cipher"),
    Tool("format"),
    Tool("auditpol"),
    Tool("cmdkey"),
    Tool("manage-bde"),
    Tool("taskkill"),
    Tool("reagentc"),
    Tool("ntdsutil"),
    Tool("wsl", "-d --distribution -u --user"),
)

VERBS: tuple[Verb, ...] = (
    Verb("launchctl", "load|bootstrap|submit|enable", "", "", _STAYS, "a program is started now and at each log-in", "launchctl list", "launchctl load -w shop.plist", "launchctl list"),
    Verb("launchctl", "unload|bootout|disable|remove|stop|kill|reboot ** *com.apple.*|*/system/*|system|userspace|halt", "", "", _GONE, "a service of the system is switched off", "launchctl list", "launchctl bootout system/com.apple.alf.agent", "launchctl unload shop.plist"),
    Verb("security", "dump-keychain|export", "", "", _SHOWS, "stored passwords and keys are shown", "security list-keychains", "security dump-keychain -d", "security list-keychains"),
    Verb("security", "find-generic-password|find-internet-password", "-w -g", "", _SHOWS, "a stored password is shown", "security find-generic-password", "security find-generic-password -s mail -w", "security find-generic-password -s mail"),
    Verb("security", "delete-*", "", "", _GONE, "stored passwords or keys are deleted", "", "security delete-keychain login.keychain", "security show-keychain-info"),
    Verb("security", "add-trusted-cert|authorizationdb|set-key-partition-list|trust-settings-import", "", "", _MORE, "whom this machine trusts is changed", "", "security add-trusted-cert -d root.pem", "security verify-cert -c root.pem"),
    Verb("dscl", "* create|append|merge|change|delete|passwd", "", "", _MORE, "an account or group is changed", "dscl . -read", "dscl . create /Users/ann", "dscl . list /Users"),
    Verb("dscl", "**", "-create -append -merge -change -delete -passwd", "", _MORE, "an account or group is changed", "dscl . -read", "dscl . -append /Groups/admin GroupMembership ann", "dscl . -read /Groups/admin"),
    Verb("dseditgroup", "**", "-o=edit -o=create -o=delete -addUser -deleteUser -resetPasswordFor -newPassword", "", _MORE, "an account or group is changed", "", "dseditgroup -o edit -a ann -t user admin", "dseditgroup -o read admin", "-o"),
    Verb("csrutil", "disable|clear", "", "", _GONE, "the protection of the system is switched off", "csrutil status", "csrutil disable", "csrutil status"),
    Verb("csrutil", "authenticated-root disable", "", "", _GONE, "the protection of the system is switched off", "csrutil status", "csrutil authenticated-root disable", "csrutil authenticated-root status"),
    Verb("spctl", "**", "--master-disable --global-disable --disable --add --remove", "", _GONE, "programs from anywhere may run", "spctl --status", "spctl --master-disable", "spctl --status"),
    Verb("tmutil", "disable|delete|deletelocalsnapshots|removedestination|disablelocal|deleteinprogress|addexclusion", "", "", _GONE, "backups are switched off or deleted", "tmutil listbackups", "tmutil deletelocalsnapshots 2024-01-01-000000", "tmutil listbackups"),
    Verb("diskutil", "erase*|zerodisk|randomdisk|secureerase|partitiondisk|reformat|mergepartitions|splitpartition", "", "", _GONE, "everything on the disk is wiped", "diskutil list", "diskutil eraseDisk JHFS+ Data disk2", "diskutil list"),
    Verb("diskutil", "apfs|ap|cs|corestorage|appleraid|ar delete*|erase*|remove*", "", "", _GONE, "a volume is deleted", "diskutil apfs list", "diskutil apfs deleteVolume disk1s4", "diskutil apfs list"),
    Verb("defaults", "write ** *loginhook*|*logouthook*|*loginwindow*|*loginitems*", "", "", _STAYS, "a program is started at each log-in", "defaults read", "defaults write com.apple.loginwindow LoginHook ./hook.sh", "defaults write com.apple.dock autohide -bool true"),
    Verb("defaults", "write ** *quarantine*|*com.apple.alf*|*softwareupdate*", "", "", _GONE, "a protection of the system is switched off", "defaults read", "defaults write com.apple.LaunchServices LSQuarantine -bool false", "defaults read com.apple.LaunchServices"),
    Verb("fdesetup", "disable|remove|removerecovery|changerecovery|destroy", "", "", _GONE, "the disk is not encrypted any more, or its keys are changed", "fdesetup status", "fdesetup disable", "fdesetup status"),
    Verb("nvram", "**", "-c -d --delete", "", _GONE, "how the machine starts is changed", "nvram -p", "nvram -c", "nvram -p"),
    Verb("nvram", "boot-args=*|csr-active-config=*", "", "", _GONE, "how the machine starts is changed", "nvram -p", "nvram boot-args=-v", "nvram boot-args"),
    Verb("systemsetup", "**", "-setremotelogin -setremoteappleevents", "", _MORE, "this machine is opened to others", "systemsetup -getremotelogin", "systemsetup -setremotelogin on", "systemsetup -getremotelogin"),
    Verb("kextload", "**", "", "--help -h", _MORE, "code is loaded into the kernel, or taken out of it", "kextstat", "kextload shop.kext", "kextload --help"),
    Verb("tccutil", "reset", "", "", _GONE, "what programs may do is forgotten", "", "tccutil reset All", "tccutil --help"),
    Verb("profiles", "remove|install", "", "", _GONE, "the rules that keep this machine are changed", "profiles list", "profiles remove -all", "profiles list"),
    Verb("profiles", "**", "-R -D -I", "", _GONE, "the rules that keep this machine are changed", "profiles -P", "profiles -D", "profiles -P"),
    Verb("softwareupdate", "**", "--schedule=off --reset-ignored --ignore", "", _GONE, "updates are switched off", "softwareupdate --list", "softwareupdate --schedule off", "softwareupdate --list", "--schedule"),
    Verb("wmic", "** shadowcopy delete", "", "", _GONE, "the copies one could go back to are deleted", "wmic shadowcopy list", "wmic shadowcopy delete", "wmic shadowcopy list"),
    Verb("wmic", "** process call create", "", "", Effect.EXECUTES, "a program is started out of sight", "", "wmic process call create calc.exe", "wmic process list brief"),
    Verb("wmic", "** call uninstall|terminate|disable|stopservice|delete|setpassword|rename", "", "", _GONE, "programs, services or accounts are removed", "", "wmic product where name=shop call uninstall", "wmic product get name"),
    Verb("reg", "delete", "", "", _GONE, "settings of the system are deleted", "reg export", "reg delete HKCU\\\\Software\\\\Shop /f", "reg query HKCU\\\\Software\\\\Shop"),
    Verb("reg", f"add {_RUN_KEYS}", "", "", _STAYS, "a program is started at each log-in, or a protection is switched off", "reg query", "reg add HKCU\\\\Software\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Run /v shop /d shop.exe", "reg add HKCU\\\\Software\\\\Shop /v size /d 3"),
    Verb("reg", r"save|export hklm\sam*|hklm\system*|hklm\security*|hkey_local_machine\sam*|hkey_local_machine\security*|hkey_local_machine\system*", "", "", _SHOWS, "the passwords of this machine are copied", "", "reg save HKLM\\\\SAM sam.hiv", "reg export HKCU\\\\Software\\\\Shop shop.reg"),
    Verb("reg", "import|restore|load", "", "", _GONE, "settings of the system are overwritten", "reg export", "reg import shop.reg", "reg query HKCU"),
    Verb("net", "user|localgroup|group ** /add|/delete|/del|/active:*", "", "", _MORE, "an account or group is changed", "net user", "net user ann secret1 /add", "net user ann"),
    Verb("net", f"stop {_GUARDS}", "", "", _GONE, "something that protects the machine is switched off", "net start", "net stop WinDefend", "net stop shop"),
    Verb("net", "share ** *=*", "", "", _MORE, "files of this machine are opened to others", "net share", "net share all=C:", "net share"),
    Verb("schtasks", "** /create|/change|-create", "", "", _STAYS, "a command is set to run later", "schtasks /query", "schtasks /create /tn shop /tr shop.exe /sc daily", "schtasks /query"),
    Verb("schtasks", "** /delete", "", "", _GONE, "a scheduled job is deleted", "schtasks /query", "schtasks /delete /tn shop /f", "schtasks /query /tn shop"),
    Verb("sc", "create|config|failure|sdset", "", "", _STAYS, "a service is made or changed", "sc query", "sc create shop binPath= shop.exe", "sc query shop"),
    Verb("sc", f"stop|delete|pause {_GUARDS}", "", "", _GONE, "something that protects the machine is switched off", "sc query", "sc stop WinDefend", "sc stop shop"),
    Verb("sc", "delete", "", "", _GONE, "a service is deleted", "sc query", "sc delete shop", "sc qc shop"),
    Verb("bcdedit", "** /set|/delete|/deletevalue|/import|-set|/bootsequence|/default|/debug", "", "", _GONE, "how the machine starts is changed", "bcdedit /enum", "bcdedit /set recoveryenabled no", "bcdedit /enum"),
    Verb("vssadmin", "delete|resize shadows|shadowstorage", "", "", _GONE, "the copies one could go back to are deleted", "vssadmin list shadows", "vssadmin delete shadows /all /quiet", "vssadmin list shadows"),
    Verb("wbadmin", "delete|disable", "", "", _GONE, "backups are deleted or switched off", "wbadmin get versions", "wbadmin delete catalog -quiet", "wbadmin get versions"),
    Verb("wevtutil", "cl|clear-log|sl|set-log|um", "", "", _GONE, "the system's log is deleted or switched off", "wevtutil qe", "wevtutil cl Security", "wevtutil el"),
    Verb("netsh", "advfirewall ** off|reset|delete", "", "", _GONE, "the firewall is switched off", "netsh advfirewall show", "netsh advfirewall set allprofiles state off", "netsh advfirewall show allprofiles"),
    Verb("netsh", "firewall ** disable|delete", "", "", _GONE, "the firewall is switched off", "netsh firewall show state", "netsh firewall set opmode disable", "netsh firewall show state"),
    Verb("netsh", "wlan show|export ** key=clear", "", "", _SHOWS, "stored passwords are shown", "netsh wlan show profiles", "netsh wlan show profile home key=clear", "netsh wlan show profiles"),
    Verb("netsh", "interface portproxy add", "", "", _MORE, "connections are passed on to another machine", "netsh interface portproxy show all", "netsh interface portproxy add v4tov4 80 10.0.0.1", "netsh interface portproxy show all"),
    Verb("fsutil", "usn deletejournal", "", "", _GONE, "the file system's log is deleted", "fsutil usn queryjournal", "fsutil usn deletejournal /d C:", "fsutil usn queryjournal C:"),
    Verb("cipher", "** /w:*", "", "", _GONE, "deleted files can't be brought back", "", "cipher /w:C:", "cipher /c a.txt"),
    Verb("format", "*:", "", "", _GONE, "everything on the disk is wiped", "", "format D: /q", "format report.txt"),
    Verb("auditpol", "** /clear|/remove|/success:disable|/failure:disable", "", "", _GONE, "the audit log is switched off", "auditpol /get /category:*", "auditpol /clear /y", "auditpol /get /category:*"),
    Verb("cmdkey", "** /add:*|/delete:*|/generic:*", "", "", _MORE, "stored log-ins are changed", "cmdkey /list", "cmdkey /add:host.example.com /user:ann", "cmdkey /list"),
    Verb("manage-bde", "**", "-off -protectors -forcerecovery -disable", "-status -get", _GONE, "the disk is not encrypted any more, or its keys are changed", "manage-bde -status", "manage-bde -off C:", "manage-bde -status"),
    Verb("taskkill", "** lsass.exe|csrss.exe|winlogon.exe|msmpeng.exe|services.exe|wininit.exe", "", "", _GONE, "the machine, or something that protects it, is stopped", "tasklist", "taskkill /f /im MsMpEng.exe", "taskkill /f /im node.exe"),
    Verb("reagentc", "** /disable", "", "", _GONE, "the way to repair the system is switched off", "reagentc /info", "reagentc /disable", "reagentc /info"),
    Verb("ntdsutil", "** ifm|*ntds*ifm*|*create*full*", "", "", _SHOWS, "the passwords of the domain can be copied", "", "ntdsutil 'ac i ntds' ifm 'create full out'", "ntdsutil help"),
    Verb("wsl", "**", "--unregister", "", _GONE, "a Linux system is deleted with its files", "wsl --export", "wsl --unregister Ubuntu", "wsl --list"),
)
