"""Programs that run the rest of their words as a command, apart from the everyday ones that the reader of commands knows.

Rows are facts about programs, one a line; the command in every example is `id`. A command behind such a program is no
risk by that: it is read as if it stood there alone.
"""
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

import msgspec


class Prefix(msgspec.Struct, frozen=True):
    """A program that runs the words after its own."""

    names: str
    """The names it goes by, separated by blanks."""
    valued: str = ""
    """Options that take the next word as their value."""
    skip: int = 0
    """How many arguments stand before the command: `flock FILE cmd`."""
    verb: str = ""
    """Words that must come first, options left out, choices with `|`: `netns exec`."""
    unless: str = ""
    """Options with which it runs no command."""
    example: str = ""
    harmless: str = ""
    assigns: bool = False
    """`NAME=value` may stand before the command."""
    dashes: bool = False
    """The command is only what stands after `--`."""
    pairs: str = ""
    """Options that take the next two words."""


# One entry a line.
# fmt: off
PREFIXES: Final[tuple[Prefix, ...]] = (
    # how it runs: priority, limits, time, terminal
    Prefix("chrt", "-T --sched-runtime -P --sched-period -D --sched-deadline", 1, "", "-p --pid -m --max", "chrt -f 1 id", "chrt -p 1"),
    Prefix("taskset", "", 1, "", "-p --pid", "taskset -c 0,1 id", "taskset -p 1"),
    Prefix("choom", "-n --adjust", 0, "", "-p --pid", "choom -n 0 id", "choom -p 1"),
    Prefix("prlimit", "-o --output", 0, "", "-p --pid", "prlimit --nofile=10 id", "prlimit --pid 1"),
    Prefix("numactl", "-i --interleave -p --preferred -m --membind -N --cpunodebind -C --physcpubind", 0, "", "-s --show -H --hardware", "numactl -m 0 id", "numactl --show"),
    Prefix("cgexec", "-g", 0, "", "", "cgexec -g cpu:a id", "cgexec -h"),
    Prefix("cpulimit", "-l --limit -c --cpu", 0, "", "-p --pid -e --exe", "cpulimit -l 100 -f -- id", "cpulimit -p 1 -l 50"),
    Prefix("setarch", "", 0, "linux32|linux64|i386|i486|i586|i686|x86_64|aarch64|armv7l|ppc64le|s390x|riscv64|uname26", "", "setarch x86_64 -R id", "setarch --list"),
    Prefix("setarch", "", 0, "", "", "setarch -R id", "setarch --list"),
    Prefix("linux32 linux64 i386 i486 i586 i686 x86_64 uname26", "", 0, "", "", "linux32 id", "linux32 --version"),
    Prefix("arch", "-e", 0, "", "", "arch -x86_64 id", "arch"),
    Prefix("setpriv", "--ruid --euid --reuid --rgid --egid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile", 0, "", "-d --dump", "setpriv --reuid 1000 id", "setpriv --dump"),
    Prefix("softlimit", "-a -c -d -f -l -m -o -p -r -s -t", 0, "", "", "softlimit -m 1000 id", "softlimit"),
    Prefix("chpst", "-u -U -b -e -/ -n -l -L -m -d -o -p -f -c -r -t", 0, "", "", "chpst -u ada id", "chpst -v"),
    Prefix("setuidgid envuidgid gosu su-exec envdir setlock s6-setuidgid s6-envdir s6-setlock pgrphack fghack", "", 1, "", "", "setuidgid ada id", "gosu --version"),
    Prefix("ifne", "", 0, "", "", "ifne -n id", "ifne"),
    Prefix("timelimit", "-t -T -s -S", 0, "", "", "timelimit -t 3 id", "timelimit"),
    Prefix("s6-softlimit s6-setsid s6-nice", "-a -c -d -f -l -m -o -p -r -s -t -n", 0, "", "", "s6-setsid id", "s6-setsid"),
    Prefix("multitime", "-n -s -i -I -o -r -b", 0, "", "", "multitime -n 3 id", "multitime"),
    Prefix("gtime", "-f --format -o --output", 0, "", "", "gtime -f %e id", "gtime --version"),
    Prefix("perf", "-e --event -o --output -F --freq -c --count -r --repeat -C --cpu -p --pid -t --tid -I", 0, "stat|record|trace|mem|kvm|sched|lock|timechart|c2c|ftrace", "", "perf stat -e cycles id", "perf report"),
    Prefix("ltrace dtruss truss ktrace uftrace sotruss latrace", "-a -A -D -e -l -n -o -p -s -S -u -w -x -F", 0, "", "-p", "ltrace -e malloc id", "ltrace -p 1"),
    Prefix("valgrind heaptrack catchsegv", "-o", 0, "", "", "valgrind --leak-check=full id", "valgrind --version"),
    Prefix("rr", "-o", 0, "record", "", "rr record id", "rr ps"),
    Prefix("gdbserver", "--remote-debug?", 1, "", "--attach --multi", "gdbserver :1234 id", "gdbserver --attach :1234 1"),
    Prefix("rlwrap", "-a? -b -C -D -f -g -H -l -M -O -P -q -s -S -t -w -z", 0, "", "", "rlwrap -H h id", "rlwrap --version"),
    Prefix("ledit rlfe", "-h -l", 0, "", "", "ledit -h h id", "ledit -v"),
    Prefix("logsave", "", 1, "", "", "logsave -a out id", "logsave"),
    Prefix("unbuffer chronic grc aoss padsp pexec", "-c --config -e -n", 0, "", "", "unbuffer id", "grc --help"),
    Prefix("lckdo with-lock-ex", "-W", 1, "", "", "lckdo a.lock id", "lckdo -h"),
    Prefix("flock lockf", "-w --wait --timeout -E --conflict-exit-code -c --command -t", 1, "", "", "flock -n a.lock id", "flock -u 9"),
    Prefix("daemonize daemon", "-a -c -e -E -o -p -l -u -n --name --user -P -F", 0, "", "", "daemonize -p a.pid id", "daemonize -v"),
    Prefix("caffeinate", "-t -w", 0, "", "", "caffeinate -i id", "caffeinate -t 10"),
    Prefix("systemd-inhibit", "--what --who --why --mode", 0, "", "--list", "systemd-inhibit --what=sleep id", "systemd-inhibit --list"),
    Prefix("systemd-cat", "-t --identifier -p --priority --stderr-priority", 0, "", "", "systemd-cat -t x id", "systemd-cat --version"),
    Prefix("systemd-run", "-p --property -u --unit --uid --gid -M --machine -H --host --slice --description --on-active --on-boot --on-calendar --on-startup --on-unit-active --timer-property --path-property --socket-property -E --setenv --nice --working-directory --service-type --job-mode", 0, "", "", "systemd-run -t -p MemoryMax=1G id", "systemd-run --version"),
    Prefix("openvt", "-c", 0, "", "-a", "openvt -c 5 -- id", "openvt --version"),
    Prefix("dumb-init tini catatonit", "-r --rewrite -p -e", 0, "", "", "dumb-init id", "tini --version"),
    Prefix("dtach abduco", "-c -n -a -A -e -r", 0, "", "-a", "dtach -n s id", "dtach -a s"),
    Prefix("screen", "-S -c -e -h -p -s -t -T", 0, "", "-X -x -r -R -ls -list -wipe -v", "screen -dmS x id", "screen -r x"),
    Prefix("wezterm", "--cwd --class --workspace", 0, "start", "", "wezterm start -- id", "wezterm ls-fonts"),
    Prefix("kitty foot footclient", "-o --override -c --config -T --title -d --directory --working-directory -D -a --app-id", 0, "", "", "kitty -T x id", "kitty --version"),
    Prefix("gnome-terminal kgx ptyxis", "--title --working-directory --geometry", 0, "", "", "gnome-terminal -- id", "gnome-terminal --tab", dashes=True),
    Prefix("zellij", "-n --name -d --direction --cwd --width --height", 0, "run", "", "zellij run -n x -- id", "zellij attach x"),
    Prefix("entr", "", 0, "", "-s", "entr -c id", "entr -s ls"),
    Prefix("watchexec", "-w --watch -e --exts -f --filter -i --ignore -s --signal --stop-signal --stop-timeout --poll -d --debounce --shell -o --on-busy-update --project-origin -E --env", 0, "", "", "watchexec -e js id", "watchexec --version"),
    Prefix("reflex", "-r -R -g -G -d --regex --glob", 0, "", "", "reflex -r x id", "reflex --help"),
    Prefix("onchange", "-e -d -f -j -o -p", 0, "", "", "onchange '**/*.js' -- id", "onchange --help", dashes=True),
    Prefix("wait-for-it wait-for wait-for-it.sh dockerize wait4x", "-t -h -p --timeout --host --port -wait -timeout", 0, "", "", "wait-for-it db:5432 -- id", "wait-for-it db:5432", dashes=True),
    Prefix("retry", "-t --times -d --delay -u --until -m -w", 0, "", "", "retry -t 3 id", "retry --help"),
    Prefix("torify torsocks proxychains proxychains4 proxychains-ng tsocks usewithtor socksify graftcp", "-f -u -p -a -P", 0, "", "", "proxychains4 -q id", "torsocks --version"),
    Prefix("xdotool", "", 0, "exec", "", "xdotool exec --sync id", "xdotool key a"),
    Prefix("xvfb-run", "-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args -w --wait", 0, "", "", "xvfb-run -a id", "xvfb-run --help"),
    Prefix("dbus-run-session", "--config-file --dbus-daemon", 0, "", "", "dbus-run-session -- id", "dbus-run-session --version"),
    Prefix("dbus-launch", "--config-file", 0, "", "", "dbus-launch --exit-with-session id", "dbus-launch --sh-syntax"),
    Prefix("xinit startx", "", 0, "", "", "xinit id", "xinit --"),
    Prefix("xss-lock", "-n --notifier -s --session", 0, "", "", "xss-lock -- id", "xss-lock --version"),
    Prefix("optirun primusrun prime-run gamemoderun mangohud pw-jack pasuspender", "-b -d", 0, "", "", "prime-run id", "mangohud --version"),
    Prefix("ssh-agent", "-a -E -O -P -t", 0, "", "-k", "ssh-agent -t 10 id", "ssh-agent -s"),
    Prefix("sshpass", "-f -d -p -P", 0, "", "", "sshpass -p x id", "sshpass -V"),
    Prefix("tcpserver", "-c -x -t -g -u -l -b", 2, "", "", "tcpserver 0 80 id", "tcpserver"),
    # as whom, and where
    Prefix("pkexec", "--user", 0, "", "", "pkexec --user root id", "pkexec --version"),
    Prefix("runuser", "-g --group -G --supp-group -s --shell -w -c --command --session-command", 0, "", "-c --command -l --login -", "runuser -u ada -- id", "runuser -l ada", dashes=True),
    Prefix("kdesu gksu gksudo kdesudo beesu", "-u --user -c", 0, "", "", "gksudo -u ada id", "gksudo --version"),
    Prefix("run0 please sudo-rs dzdo pfexec calife", "-u --user -g --group -D --chdir --unit --nice -h --host", 0, "", "", "run0 -u ada id", "run0 --version"),
    Prefix("aa-exec", "-p --profile -n --namespace", 0, "", "", "aa-exec -p x id", "aa-exec --help"),
    Prefix("runcon", "-t --type -u --user -r --role -l --range", 1, "", "", "runcon a:b:c id", "runcon --version"),
    Prefix("newrole", "-r -t -l", 0, "", "", "newrole -r a -- id", "newrole -V", dashes=True),
    Prefix("fakeroot fakeroot-ng fakechroot", "-l --lib -s -i -b --faked", 0, "", "", "fakeroot -s f id", "fakeroot --version"),
    Prefix("faketime", "-p --pid", 1, "", "", "faketime yesterday id", "faketime --version"),
    Prefix("datefudge", "", 1, "", "", "datefudge 2020-01-01 id", "datefudge --version"),
    Prefix("eatmydata", "", 0, "", "", "eatmydata id", "eatmydata --version"),
    Prefix("firejail", "", 0, "", "--list --shutdown --join --tree --top", "firejail --net=none id", "firejail --list"),
    Prefix("bwrap", "--dev --proc --tmpfs --dir --chdir --unsetenv --hostname --uid --gid --lock-file --remount-ro --seccomp --args --argv0 --cap-add --cap-drop --perms --userns --pidns --info-fd --mqueue", 0, "", "", "bwrap --ro-bind / / --dev /dev id", "bwrap --version", pairs="--bind --ro-bind --dev-bind --bind-try --ro-bind-try --dev-bind-try --setenv --symlink --file --bind-data --ro-bind-data --chmod"),
    Prefix("proot", "-r --rootfs -b --bind -m --mount -q --qemu -w --pwd --cwd -v --verbose -i --change-id -R -S -k", 0, "", "", "proot -r a -b /dev id", "proot --version"),
    Prefix("nsjail", "-C --config -R --bindmount_ro -B --bindmount -T --tmpfsmount -u --user -g --group -c --chroot -D --cwd -t --time_limit -l --log -E --env", 0, "", "", "nsjail -Mo --chroot / -- id", "nsjail --help"),
    Prefix("systemd-nspawn", "-D --directory -M --machine -i --image -u --user --bind --bind-ro -E --setenv --chdir", 0, "", "-b --boot", "systemd-nspawn -D a id", "systemd-nspawn -b -D a"),
    Prefix("machinectl", "-E --setenv --uid", 1, "shell", "", "machinectl shell a id", "machinectl list"),
    Prefix("ip", "-n -netns", 1, "netns|net exec", "", "ip netns exec a id", "ip netns list"),
    Prefix("ip", "", 1, "vrf exec", "", "ip vrf exec a id", "ip vrf show"),
    Prefix("schroot dchroot", "-c --chroot -n -d --directory -u --user -o --option -s --shell", 0, "", "-l --list -i --info -b -e", "schroot -c a -- id", "schroot -l"),
    Prefix("arch-chroot", "-u", 1, "", "", "arch-chroot /mnt id", "arch-chroot -h"),
    Prefix("flatpak-spawn host-spawn distrobox-host-exec", "--env --directory", 0, "", "", "flatpak-spawn --host id", "flatpak-spawn --version"),
    Prefix("toolbox", "-c --container -d -r", 0, "run", "", "toolbox run -c a id", "toolbox list"),
    Prefix("distrobox", "-n --name", 0, "enter", "", "distrobox enter a -- id", "distrobox list", dashes=True),
    Prefix("distrobox-enter", "-n --name", 0, "", "", "distrobox-enter a -- id", "distrobox-enter a", dashes=True),
    Prefix("lxc incus", "--env --user --group --cwd --mode", 1, "exec", "", "lxc exec a -- id", "lxc list"),
    Prefix("lxc-attach lxc-execute", "-n --name -f -l -o -P -u -g -a -e -s -v", 0, "", "", "lxc-attach -n a -- id", "lxc-attach --version"),
    Prefix("multipass", "-d --working-directory", 1, "exec", "", "multipass exec a -- id", "multipass list"),
    Prefix("limactl", "--workdir --shell", 1, "shell", "", "limactl shell a id", "limactl list"),
    Prefix("lima", "", 0, "", "", "lima id", "lima --version"),
    Prefix("colima", "-p --profile", 0, "ssh", "", "colima ssh -- id", "colima status", dashes=True),
    Prefix("docker-compose podman-compose", "-f --file -p --project-name --env-file -e --env -u --user -w --workdir --index --entrypoint --name -v --volume", 1, "exec|run", "", "docker-compose exec -T web id", "docker-compose up -d"),
    Prefix("nerdctl crictl ctr buildah", "-e --env -u --user -w --workdir -n --namespace -r", 1, "exec|run", "", "nerdctl exec -it a id", "nerdctl ps"),
    Prefix("oc", "-n --namespace -c --container", 1, "exec|rsh", "", "oc exec a -- id", "oc get pods"),
    Prefix("apptainer singularity", "-B --bind -H --home -W --pwd --env --env-file -o --overlay", 1, "exec", "", "apptainer exec a.sif id", "apptainer pull a.sif"),
    Prefix("enroot udocker charliecloud", "-e --env -m --mount", 1, "start|run", "", "enroot start a id", "enroot list"),
    Prefix("ch-run", "-b --bind -c --cd", 1, "", "", "ch-run a -- id", "ch-run --version"),
    Prefix("adb", "-s -t -H -P -L", 0, "shell|exec-out", "", "adb -s x shell id", "adb devices"),
    Prefix("wsl", "-d --distribution -u --user --cd", 0, "", "-l --list --install --shutdown -e --exec", "wsl -d x -- id", "wsl -l"),
    Prefix("srun salloc mpirun mpiexec orterun prterun aprun jsrun", "-n -np -N -c -p -t -A -J -w -H --host --hostfile --ntasks --nodes --partition --time --mem --gres --job-name --account -machinefile --mca -x", 0, "", "", "mpirun -np 4 id", "srun --version"),
    Prefix("bsub", "-J -q -n -o -e -W -M -R -P", 0, "", "", "bsub -q x id", "bsub -V"),
    Prefix("pdsh clush", "-w -x -l -t -u -f -g -R -o -O --options", 0, "", "", "pdsh -w a,b id", "pdsh -V"),
    Prefix("pssh parallel-ssh", "-h --hosts -H --host -l --user -p --par -t --timeout -o --outdir -e --errdir -O --option -x --extra-args", 0, "", "", "pssh -h hosts id", "pssh --version"),
    Prefix("dsh", "-m --machine -f --file -g --group -r -o", 0, "", "", "dsh -g x id", "dsh --version"),
    Prefix("mosh et", "-p --port --ssh --server --client --family --predict --bind-server", 1, "", "", "mosh host.example id", "mosh host.example"),
    Prefix("fab", "-H --hosts -i -c -f -r -u", 0, "", "", "fab -H a -- id", "fab deploy", dashes=True),
    Prefix("heroku", "-a --app -s --size -r --remote", 0, "run|run:detached", "", "heroku run -a x id", "heroku logs"),
    Prefix("dokku", "", 1, "run|enter", "", "dokku run x id", "dokku apps:list"),
    Prefix("railway render scalingo", "-s --service -e --environment -a --app", 0, "run", "", "railway run id", "railway status"),
    Prefix("codex", "", 1, "sandbox", "", "codex sandbox linux id", "codex exec a"),
    Prefix("codex", "", 0, "debug seatbelt|landlock", "", "codex debug landlock id", "codex debug"),
    Prefix("srt", "-s --settings", 0, "", "", "srt id", "srt --version"),
    # secrets and settings in the environment
    Prefix("envchain", "", 1, "", "-s --set -l --list", "envchain aws id", "envchain --list"),
    Prefix("aws-vault", "-d --duration -n --backend", 1, "exec", "", "aws-vault exec dev -- id", "aws-vault list"),
    Prefix("chamber", "", 1, "exec", "", "chamber exec app -- id", "chamber list app"),
    Prefix("aws-okta saml2aws aws-sso", "-a --idp-account -p --profile", 0, "exec", "", "saml2aws exec -- id", "saml2aws login", dashes=True),
    Prefix("op", "--env-file --account", 0, "run", "", "op run --env-file=.env -- id", "op item list"),
    Prefix("doppler infisical teller vaultenv envkey berglas dotenvx varlock fnox", "-p --project -c --config -e --env -f --env-file --path", 0, "run", "", "doppler run -p x -- id", "doppler secrets"),
    Prefix("envconsul", "-prefix -secret -config", 0, "", "", "envconsul -prefix x id", "envconsul -version"),
    Prefix("direnv", "", 1, "exec", "", "direnv exec . id", "direnv allow"),
    Prefix("dotenv", "-f -e --file -c -v -p -q", 0, "run", "", "dotenv -f .env run -- id", "dotenv list"),
    Prefix("dotenv dotenv-cli", "-f -e --file -c -v -p", 0, "", "", "dotenv -e .env -- id", "dotenv list", dashes=True),
    Prefix("cross-env", "", 0, "", "", "cross-env NODE_ENV=test id", "cross-env A=1", assigns=True),
    Prefix("env-cmd", "-f --file -e --environments -r --rc-file", 0, "", "", "env-cmd -f .env id", "env-cmd --version"),
    # development environments
    Prefix("poetry pipenv pdm rye", "-C --directory -P --project -p --python", 0, "run", "", "poetry run id", "poetry install"),
    Prefix("uv", "-p --python --with --with-requirements --with-editable --extra --group --only-group --package --env-file --project --directory -i --index --index-url --extra-index-url -f -C", 0, "run", "-m --module", "uv run --with x id", "uv sync"),
    Prefix("uv", "-p --python --with --from -w --index", 0, "tool run", "", "uv tool run --from x id", "uv tool list"),
    Prefix("uvx", "-p --python --with --from -w --index --index-url", 0, "", "", "uvx --from x id", "uvx --version"),
    Prefix("pipx", "--spec --python --index-url --pip-args", 0, "run", "", "pipx run --spec x id", "pipx list"),
    Prefix("hatch", "-e --env -p", 0, "run", "", "hatch run id", "hatch build"),
    Prefix("tox", "-e -c", 0, "exec", "", "tox exec -e py -- id", "tox -e py", dashes=True),
    Prefix("conda mamba micromamba", "-n --name -p --prefix --cwd -a --attach", 0, "run", "", "conda run -n x id", "conda list"),
    Prefix("pixi", "-e --environment --manifest-path", 0, "run|exec", "", "pixi run id", "pixi list"),
    Prefix("pyenv rbenv nodenv goenv jenv plenv phpenv luaenv asdf", "", 0, "exec", "", "rbenv exec id", "rbenv versions"),
    Prefix("mise rtx", "-C --cd -j -E --env", 0, "exec|x", "", "mise exec node@20 -- id", "mise ls", dashes=True),
    Prefix("nvm n", "", 1, "exec|run", "", "nvm exec 20 id", "nvm ls"),
    Prefix("fnm volta", "--using --node --npm --yarn", 0, "exec|run", "", "fnm exec --using 20 id", "fnm list"),
    Prefix("rvm chruby-exec", "", 0, "", "", "rvm 3.2 -- id", "rvm list", dashes=True),
    Prefix("rustup", "", 1, "run", "", "rustup run nightly id", "rustup update"),
    Prefix("npx", "-p --package -w --workspace -c --call --registry --prefix --userconfig --cache", 0, "", "-c --call", "npx -y -p x id", "npx -c ls"),
    Prefix("bunx pnpx", "-p --package --filter", 0, "", "", "bunx --bun id", "bunx --version"),
    Prefix("npm", "-p --package -w --workspace -c --call --prefix -C", 0, "exec|x", "-c --call", "npm exec -- id", "npm install"),
    Prefix("pnpm yarn bun", "-p --package -C --dir --filter -F --cwd", 0, "exec|dlx|x", "-c --shell-mode", "pnpm exec id", "pnpm install"),
    Prefix("nx lage", "", 0, "exec", "", "nx exec -- id", "nx build a", dashes=True),
    Prefix("bundle bundler", "--gemfile", 0, "exec", "", "bundle exec id", "bundle install"),
    Prefix("gem", "-v --version -g --gem", 0, "exec", "", "gem exec id", "gem list"),
    Prefix("appraisal", "", 1, "", "", "appraisal rails-7 id", "appraisal install"),
    Prefix("cabal", "--project-file --project-dir -w", 0, "exec", "", "cabal exec -- id", "cabal build"),
    Prefix("stack", "--stack-yaml --resolver --package --cwd", 0, "exec", "", "stack exec -- id", "stack build"),
    Prefix("opam dune", "--switch --root --profile", 0, "exec", "", "opam exec -- id", "opam list"),
    Prefix("esy", "", 0, "x|b", "", "esy x id", "esy install"),
    Prefix("guix", "-C? -m --manifest -e -f", 0, "shell|environment", "", "guix shell hello -- id", "guix search a", dashes=True),
    Prefix("devbox flox", "-c --config -d --dir", 0, "run|activate", "", "devbox run -- id", "devbox list"),
    Prefix("devcontainer", "--workspace-folder --container-id --config --id-label", 0, "exec", "", "devcontainer exec --workspace-folder . id", "devcontainer up"),
    Prefix("ddev lando", "-s --service -d --dir", 0, "exec|ssh", "", "ddev exec id", "ddev start"),
    Prefix("ccache sccache distcc icecc icecream buildcache pump", "-j --jobs", 0, "", "-s --show-stats -z --zero-stats -C --clear -M --max-size -c --cleanup -p -k -o", "ccache id", "ccache -s"),
    Prefix("scan-build bear intercept-build build-wrapper-linux-x86-64 cov-build", "-o --output --out-dir --dir --cdb --use-cc --use-c++ --use-analyzer", 0, "", "", "bear --output a.json -- id", "bear --version"),
    Prefix("cmake", "--unset --modify", 0, "env|time", "", "cmake -E env A=1 id", "cmake -E echo a", assigns=True),
    Prefix("cmake", "", 1, "chdir", "", "cmake -E chdir a id", "cmake -E remove a"),
    Prefix("libtool", "", 0, "", "", "libtool --mode=execute id", "libtool --version"),
    Prefix("emmake emconfigure emcmake", "", 0, "", "", "emmake id", "emmake --version"),
    Prefix("samply py-spy austin scalene memray flamegraph", "-o --output -r --rate -d --duration -f --format -i", 0, "record|run", "-p --pid", "samply record -- id", "py-spy top --pid 1"),
    Prefix("opentelemetry-instrument ddtrace-run scorep", "--traces_exporter --service_name", 0, "", "", "ddtrace-run id", "ddtrace-run --help"),
    Prefix("newrelic-admin", "", 0, "run-program", "", "newrelic-admin run-program id", "newrelic-admin help"),
    Prefix("gprofng", "-o -p -h", 0, "collect app", "", "gprofng collect app id", "gprofng display text"),
    Prefix("nsys ncu vtune", "-o --output -t --trace -f -collect", 0, "profile|launch", "", "nsys profile -o a id", "nsys stats a"),
    Prefix("compute-sanitizer cuda-memcheck nvprof ncu", "--tool -o --log-file", 0, "", "", "nvprof -o a id", "nvprof --version"),
    Prefix("task", "", 0, "execute", "", "task execute id", "task list"),
    Prefix("etcdctl", "", 0, "", "", "etcdctl watch a -- id", "etcdctl get a", dashes=True),
    Prefix("ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld-musl-x86_64.so.1", "--library-path --inhibit-rpath --audit --preload --argv0", 0, "", "--list --verify", "ld.so --library-path a id", "ld.so --list a"),
    Prefix("qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 qemu-riscv64 qemu-x86_64-static qemu-aarch64-static qemu-arm-static box64 box86 fex FEXInterpreter rosetta", "-L -g -cpu -E -U -0 -s -B -R -d -D", 0, "", "", "qemu-x86_64 -L a id", "qemu-x86_64 -version"),
    Prefix("wine wine64 mono", "", 0, "", "", "wine id", "wine --version"),
    Prefix("podman buildah", "", 0, "unshare", "", "podman unshare id", "podman ps"),
    Prefix("rootlesskit", "--net --mtu --port-driver --copy-up --state-dir", 0, "", "", "rootlesskit --net=host id", "rootlesskit --version"),
    Prefix("gpg-agent", "--homedir --options --pinentry-program", 0, "", "", "gpg-agent --daemon id", "gpg-agent --daemon"),
)
# fmt: on
