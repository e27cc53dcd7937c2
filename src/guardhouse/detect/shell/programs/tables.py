"""Which table speaks of which program, so that only the tables of the programs in a command are loaded.

A gate may be started anew for every call, and all tables together take longer to load than a command to read. A test
compares these names with the tables; a new program is added in both places.
"""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from guardhouse.detect.shell.running import Machine
    from guardhouse.detect.shell.state import Call, State
    from guardhouse.detect.shell.values import Stream

VERB_TABLES: Final = {
    "versions": "bfg git hg jj p4 repo svn svnadmin",
    "containers": (
        "colima docker docker-compose incus k3d kind limactl lxc minikube multipass nerdctl pct podman "
        "podman-compose pvesh qm vagrant vbox-manage vboxmanage virsh"
    ),
    "clusters": (
        "ansible argocd bao cdk cdktf consul copilot eksctl etcdctl flux helm helmfile k k3s-kubectl kops kubectl "
        "kubectl.exe microk8s.kubectl nomad oc pulumi sam serverless sls terraform terragrunt tofu vault velero"
    ),
    "cloud": (
        "aliyun aws awslocal az bq civo doctl exo gcloud gsutil hcloud ibmcloud linode-cli mc nova oci openstack "
        "s3cmd s5cmd scw tccli vultr-cli"
    ),
    "hosting": (
        "cf eas firebase fly flyctl gh glab heroku neon neonctl netlify now ntl planetscale pscale railway shopify "
        "stripe supabase turso vc vercel wrangler"
    ),
    "packages": (
        "apk apt apt-get aptitude brew bun cargo choco composer conda dnf dotnet dpkg flatpak gem gradle gradlew "
        "hatch mamba microdnf micromamba mvn mvnw nix nix-collect-garbage nix-env nix-store npm nuget pacman paru "
        "pdm pip pipx pnpm poetry rpm scoop snap tdnf uv winget yarn yay yum zypper"
    ),
    "databases": (
        "airflow alembic artisan cockroach createuser dbmate diesel django-admin drizzle-kit dropdb dropuser flask "
        "flyway goose hasura influx kafka-acls kafka-acls.sh kafka-consumer-groups kafka-consumer-groups.sh "
        "kafka-delete-records kafka-delete-records.sh kafka-topics kafka-topics.sh keydb-cli knex liquibase "
        "manage.py mariadb-admin migrate mix mongo mongorestore mongosh mysqladmin nats nodetool pg_dropcluster "
        "pg_resetwal pg_resetxlog pg_restore prisma rabbitmq-queues rabbitmqadmin rabbitmqctl rails rake redis-cli "
        "rpk sea-orm-cli sequelize sequelize-cli sqlx superset typeorm typeorm-ts-node-commonjs "
        "typeorm-ts-node-esm valkey-cli wp"
    ),
    "storage": (
        "blkdiscard borg borgmatic btrfs ceph croc cryptsetup dropbox_uploader duplicati-cli duplicity ffsend "
        "gdrive gist gluster hadoop hdfs hdparm ipmitool journalctl kopia lvm lvreduce lvremove magic-wormhole "
        "mdadm mega-put megaput nvme onionshare onionshare-cli parted pastebinit pvremove rados rbd rclone "
        "rdiff-backup restic sfdisk sgdisk snapper swapoff timeshift transfer.sh vgremove wgetpaste wipefs "
        "wormhole wormhole-william zfs zpool"
    ),
    "accounts": (
        "addgroup adduser at batch chgpasswd chpasswd chsh crontab delgroup deluser gpasswd gpg gpg2 groupadd "
        "groupdel groupmod loginctl newusers passwd realm secret-tool setcap ssh-copy-id tailscale useradd userdel "
        "usermod vigr vipw visudo"
    ),
    "protection": (
        "aa-complain aa-disable aa-teardown apparmor_parser auditctl authconfig authselect chkconfig dmesg "
        "efibootmgr faillock firewall-cmd grub-install grub2-install grubby halt history init initctl insmod "
        "invoke-rc.d ip6tables ip6tables-restore iptables iptables-legacy iptables-nft iptables-restore kexec kill "
        "killall killall5 modprobe nft pam-auth-update pfctl pkill poweroff rc-service rc-update reboot rmmod "
        "semanage semodule service setenforce setsebool shutdown skill supervisorctl sysctl systemctl sysv-rc-conf "
        "telinit ufw update-grub update-rc.d"
    ),
    "desktop": (
        "auditpol bcdedit bless cipher cmdkey csrutil defaults diskutil dscl dseditgroup fdesetup format fsutil "
        "kextload kextunload kmutil launchctl manage-bde net net1 netsh ntdsutil nvram profiles reagentc reg sc "
        "schtasks security softwareupdate spctl sysadminctl systemsetup taskkill tccutil tmutil vssadmin wbadmin "
        "wevtutil wmic wsl"
    ),
}
"""The tools of each `verb_table_*`, in lower case, in the order in which the tables count."""

LAUNCHER_TABLES: Final = {
    "files": (
        "ack ack-grep ag animate ar awk bsdtar compare composite convert cpio csvtool display easyrsa enscript "
        "exiftool fastfetch fd fdfind file-rename fzf gawk ghostscript ginstall gm gm4 goawk gpic groff gs gsed "
        "gsort gsplit gtar hyperfine identify install logrotate m4 magick mawk miller mlr mogrify montage msgexec "
        "msgfilter mt nawk neofetch nroff original-awk pandoc pee perl-rename pic play prename procmail rec rename "
        "rg ripgrep rsync screenfetch sed sk soelim sort sox soxi split ssed tar troff ug ugrep xdg-user-dir zic "
        "zip"
    ),
    "viewers": (
        "Mail alacritty asciinema bat batcat blender byobu cool-retro-term delta ed elinks elvis emacs emacsclient "
        "evim ex feh ghostty gimp gimp-console gnome-terminal guake gview gvim hyprctl i3-msg info jed kak konsole "
        "less lf links lxterm lxterminal lynx mail mailx man mate-terminal mpv mutt nail nano neomutt nvi nvim "
        "osascript pico plymouth qterminal ranger red rnano rofi rview rvim rxvt s-nail sakura scanimage screen "
        "script scriptlive scrot st swayidle swaymsg terminator terminology tilix tmate tmux ttyrec urxvt urxvtc "
        "uxterm vi view vifm vim vim.basic vim.tiny vimdiff w3m x-terminal-emulator xautolock xemacs "
        "xfce4-terminal xsane xss-lock xterm zathura zellij"
    ),
    "development": (
        "acr ant apt apt-cache apt-file apt-get apt-key apt-mark aptitude bazel bazelisk bmake bpftrace brz bundle "
        "bundler bunx bzr c++ c89 c99 cargo cc chg chokidar clang clang++ cmake cobc composer conc concurrently "
        "cpp crash cross-env-shell ctags ctest cvs dnf dpkg dtrace easy_install forge fossil g++ gcc gcc-ar gcc-nm "
        "gdb gem gfortran gh git git-filter-repo glab gmake gnat go gold gradle gradlew gtester hg jar java javac "
        "javadoc javap javaw ld ld.bfd ld.gold ld.lld lerna lldb make meson microdnf mingw32-make mvn mvnw ninja "
        "nix nix-shell nm nodemon npm npx objdump pacman perlbug pip pip3 pipx pnpm prove r2 radare2 rake ranlib "
        "remake rpm rpmbuild rpmdb rpmkeys rpmquery rpmsign rpmspec rpmverify rustc rustdoc samu scons stap svn "
        "svnadmin svnsync valgrind watchman-make watchmedo yarn yum"
    ),
    "interpreters": (
        "R Rscript abcl amm amstex arturo babel-node bb bee bpython bun byebug ccl chef-apply chef-shell chez "
        "clisp clj clojure cmd context cowsay cowthink crystal cscript csi dc deno django-admin dosbox dosbox-x "
        "dotnet dotnet-fsi drush dvilualatex ecl elixir erl esr etex expect fennel flask ghc ghci gjs gnuplot gosh "
        "gprolog groovy groovysh gst guile hugs hy iex io ipython ipython3 irb janet jjs jruby jrunscript jshell "
        "julia jython kotlin latex latexmk lein littler lua lua5.1 lua5.2 lua5.3 lua5.4 luahbtex luajit lualatex "
        "luatex luau manage.py matlab maxima micropython mit-scheme mix mshta nashorn node nodejs ocaml octave "
        "octave-cli pdb pdb3 pdflatex pdftex perl perl6 petite php php-cgi php7 php8 pike platex powershell "
        "powershell_ise prolog pry puppet pwsh pygmentize pypy pypy3 python python2 python3 qjs r racket rails "
        "rails-runner raku rakudo rdbg regsvr32 ruby rundll32 runghc runhaskell sage sbcl scala scheme scilab "
        "scilab-cli slsh swift swipl tclsh tex texlua truffleruby ts-node tsx uplatex utop v wish wp wscript xdvi "
        "xelatex xetex"
    ),
    "network": (
        "acme.sh acme.sh.sh ansible ansible-playbook apache2 apache2ctl apachectl aria2c arptables autossh aws az "
        "bconsole bettercap borg borgmatic bup cdist certbot check_by_ssh check_ssl_cert clush crash curl "
        "dehydrated dhclient dhcpcd dnsmasq doctl duplicity ebtables ettercap fail2ban-client ffuf filan fly "
        "flyctl ftp gallery-dl gcloud git-ssh hcloud hostapd_cli hping3 httpd ip6tables iptables iptables-restore "
        "jtag knife lego letsencrypt letsencrypt-auto lftp mosh mosh-client msfconsole nc nc.openbsd "
        "nc.traditional ncat ncftp netcat nginx nmap openssl openvpn parallel-ssh plink pppd pscp pscp.pssh psftp "
        "pssh putty rawshark rcat rclone rdiff-backup restic rtorrent rustcat salt salt-call scanmem scp sftp "
        "slogin smbclient socat socat1 socket sqlmap ssh ssh-add ssh-agent ssh-copy-id ssh-keygen ssh-keyscan sshd "
        "sshfs sshuttle tcpdump telnet tnftp transmission-daemon transmission-remote tshark udhcpc udhcpc6 unison "
        "uwsgi vagrant varnishd virsh websocat wg-quick wget wget2 wireshark wpa_cli wsl youtube-dl yt-dlp "
        "yt-dlp_linux"
    ),
    "databases": (
        "beeline bq clickhouse clickhouse-client clickhouse-local cqlsh duckdb fbsql hive impala-shell isql "
        "isql-fb keydb-cli litecli mariadb mariadbd mongo mongosh mycli mysql mysqld mysqlsh pg_ctl pgcli postgres "
        "presto psql pyspark redis-cli redis-server snowsql spark-shell spark-sql spark-submit sqlcl sqlcmd sqlite "
        "sqlite3 sqlplus trino usql valkey-cli valkey-server"
    ),
    "system": (
        "[ agetty at bash batch bind busctl capsh compgen complete consul cpan crontab dbus-monitor dbus-send "
        "debugfs dmsetup elvish enable es facter fc fcrontab flock gdbus genie getty ginsh gparted gpg gpg-agent "
        "gpg-connect-agent gpg2 gpgconf hash helm hwatch incrontab insmod kextload ksu kubectl launchctl "
        "ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld-linux-x86-64.so.2 ld-linux.so.2 ld-musl-x86_64.so.1 ld.so "
        "ldconfig let mapfile mingetty minicom modprobe ncftp nu oc parted pidstat printf rc readarray run-parts "
        "runscript runuser schtasks service sg sops start-stop-daemon su sysctl systemctl systemd-run tasksh "
        "tdbtool terraform terragrunt test tofu unset viddy watch xfs_db xonsh"
    ),
}
"""The programs of each `launcher_table_*`, in the order in which the tables count. Those with code in variables are in
`launcher_table_environment`, which speaks of all programs."""

_PREFIXES: Final = (
    "FEXInterpreter aa-exec abduco adb aoss appraisal apptainer aprun arch arch-chroot asdf austin aws-okta "
    "aws-sso aws-vault bear beesu berglas box64 box86 bsub build-wrapper-linux-x86-64 buildah buildcache bun "
    "bundle bundler bunx bwrap cabal caffeinate calife catatonit catchsegv ccache cgexec ch-run chamber "
    "charliecloud choom chpst chronic chrt chruby-exec clush cmake codex colima compute-sanitizer conda cov-build "
    "cpulimit crictl cross-env ctr cuda-memcheck daemon daemonize datefudge dbus-launch dbus-run-session dchroot "
    "ddev ddtrace-run devbox devcontainer direnv distcc distrobox distrobox-enter distrobox-host-exec "
    "docker-compose dockerize dokku doppler dotenv dotenv-cli dotenvx dsh dtach dtruss dumb-init dune dzdo "
    "eatmydata emcmake emconfigure emmake enroot entr env-cmd envchain envconsul envdir envkey envuidgid esy et "
    "etcdctl fab fakechroot fakeroot fakeroot-ng faketime fex fghack firejail flamegraph flatpak-spawn flock flox "
    "fnm fnox foot footclient gamemoderun gdbserver gem gksu gksudo gnome-terminal goenv gosu gpg-agent gprofng "
    "graftcp grc gtime guix hatch heaptrack heroku host-spawn i386 i486 i586 i686 icecc icecream ifne incus "
    "infisical intercept-build ip jenv jsrun kdesu kdesudo kgx kitty ktrace lage lando latrace lckdo "
    "ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld-linux-x86-64.so.2 ld-linux.so.2 ld-musl-x86_64.so.1 ld.so ledit "
    "libtool lima limactl linux32 linux64 lockf logsave ltrace luaenv lxc lxc-attach lxc-execute machinectl mamba "
    "mangohud memray micromamba mise mono mosh mpiexec mpirun multipass multitime n ncu nerdctl newrelic-admin "
    "newrole nodenv npm npx nsjail nsys numactl nvm nvprof nx oc onchange op opam opentelemetry-instrument openvt "
    "optirun orterun padsp parallel-ssh pasuspender pdm pdsh perf pexec pfexec pgrphack phpenv pipenv pipx pixi "
    "pkexec please plenv pnpm pnpx podman podman-compose poetry prime-run primusrun prlimit proot proxychains "
    "proxychains-ng proxychains4 prterun pssh ptyxis pump pw-jack py-spy pyenv qemu-aarch64 qemu-aarch64-static "
    "qemu-arm qemu-arm-static qemu-i386 qemu-riscv64 qemu-x86_64 qemu-x86_64-static railway rbenv reflex render "
    "retry rlfe rlwrap rootlesskit rosetta rr rtx run0 runcon runuser rustup rvm rye s6-envdir s6-nice s6-setlock "
    "s6-setsid s6-setuidgid s6-softlimit salloc saml2aws samply scalene scalingo scan-build sccache schroot "
    "scorep screen setarch setlock setpriv setuidgid singularity socksify softlimit sotruss srt srun ssh-agent "
    "sshpass stack startx su-exec sudo-rs systemd-cat systemd-inhibit systemd-nspawn systemd-run task taskset "
    "tcpserver teller timelimit tini toolbox torify torsocks tox truss tsocks udocker uftrace uname26 unbuffer "
    "usewithtor uv uvx valgrind varlock vaultenv volta vtune wait-for wait-for-it wait-for-it.sh wait4x watchexec "
    "wezterm wine wine64 with-lock-ex wsl x86_64 xdotool xinit xss-lock xvfb-run yarn zellij"
)

PROGRAM_MODULES: Final = {
    "patching": "apply_patch applypatch gpatch patch",
    "editing": "file-rename mmv perl-rename prename rclone rename unison yq zmv",
    "archives": "7z 7za 7zr 7zz bsdtar cpio gcpio gtar jar pax rar spax tar unar unrar unsquashfs unzip",
    "copies": (
        "borg lftp mount mount.cifs mount.nfs mount_nfs mount_smbfs ncftp ncftpget ncftpput restic rsync scp sftp "
        "smbclient sshfs tnftp"
    ),
    "elsewhere": "autossh docker docker-compose k3s kubectl mosh nerdctl oc podman slogin ssh",
    "rights": "chattr chgrp chmod chown gchmod gchown setfacl",
    "searching": "bfs fd fdfind find gfind",
}
"""The programs that are read in modules of their own."""


def _by_name(tables: dict[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for table, names in tables.items():
        for name in names.split():
            found[name] = (*found.get(name, ()), table)
    return found


VERB_TABLES_OF: Final = _by_name(VERB_TABLES)
LAUNCHER_TABLES_OF: Final = _by_name(LAUNCHER_TABLES)
PREFIXES: Final = frozenset(_PREFIXES.split())
"""Programs that run the rest of their words."""


@cache
def verb_table(name: str) -> ModuleType:
    """The module with the verbs of a group of tools."""
    return import_module(f"guardhouse.detect.shell.programs.verb_table_{name}")


@cache
def launcher_table(name: str) -> ModuleType:
    """The module with the ways in which a group of programs runs code."""
    return import_module(f"guardhouse.detect.shell.programs.launcher_table_{name}")


def read_later(module: str) -> dict[str, Callable[[Machine, State, Call], Stream]]:
    """The programs of one of `PROGRAM_MODULES`; the module is loaded when one of them is run."""
    return {name: partial(_run, module, name) for name in PROGRAM_MODULES[module].split()}


def _run(module: str, name: str, machine: Machine, state: State, call: Call) -> Stream:
    programs = getattr(import_module(f"guardhouse.detect.shell.programs.{module}"), module.upper())
    out: Stream = programs[name](machine, state, call)
    return out
