"""Environment variables that name code, of one program or of many.

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
    # variables that one program reads
    Launcher("fzf", "FZF_DEFAULT_OPTS=", "shell", "**execute( **execute-silent( **reload( **become( **--preview~", "", "FZF_DEFAULT_OPTS='--bind enter:execute(payload)' fzf", "FZF_DEFAULT_OPTS=--multi fzf"),
    Launcher("cscope", "CSCOPE_EDITOR=", "shell", "", "", "CSCOPE_EDITOR=payload cscope -b", "CSCOPE_DIRS=a cscope -b"),
    Launcher("distcc", "DISTCC_CMDLIST=", "program", "", "", "DISTCC_CMDLIST=payload distcc gcc", "DISTCC_DIR=a distcc gcc"),
    Launcher("kubectl oc", "KUBE_EDITOR=|KUBECTL_EXTERNAL_DIFF=", "shell", "", "", "KUBE_EDITOR='payload -c' kubectl edit deploy/a", "KUBECONFIG=a kubectl get pods"),
    # libraries that any program would load
    Launcher("*", "LD_PRELOAD=|LD_AUDIT=|DYLD_INSERT_LIBRARIES=|_RLD_LIST=|GCONV_PATH=|LDR_PRELOAD=", "program", "", "", "LD_PRELOAD=./payload.so ls", "LD_LIBRARY_PATH=/opt/a/lib ls"),
    Launcher("*", "GTK_MODULES=|GTK3_MODULES=|GIO_EXTRA_MODULES=|OPENSSL_ENGINES=|OPENSSL_CONF=|OPENSSL_MODULES=|ENV=|ZDOTDIR=|GIT_CONFIG_GLOBAL=|GIT_CONFIG_SYSTEM=|HGRCPATH=|GIT_TEMPLATE_DIR=|PYTHONSTARTUP=|SSH_SK_PROVIDER=", "program", "@scratch", "", "OPENSSL_CONF=/tmp/payload.cnf curl https://example.org", "GTK_THEME=x gedit"),
    # shells
    Launcher("*", "BASH_ENV=", "program", "", "", "BASH_ENV=./payload.sh bash -c ls", "ENVIRONMENT=production ls"),
    Launcher("*", "PROMPT_COMMAND=", "shell", "", "", "PROMPT_COMMAND=payload bash", "PS1=x bash"),
    Launcher("*", "PS0=|PS1=|PS4=", "shell", "**$( **`", "", "PS4='$(payload)' bash -x a.sh", "PS4='+ ' bash -x a.sh"),
    # what is opened with
    Launcher("*", "PAGER=|MANPAGER=|GIT_PAGER=|SYSTEMD_PAGER=|PSQL_PAGER=|BAT_PAGER=|DELTA_PAGER=|AWS_PAGER=|GH_PAGER=|PERLDOC_PAGER=|CRASHPAGER=|PACKER_PAGER=|ACK_PAGER=|GLAB_PAGER=|RI_PAGER=|PYDOC_PAGER=|JJ_PAGER=", "shell", "", "", "PAGER='payload -c' git -p help", "COLUMNS=80 git log"),
    Launcher("*", "EDITOR=|VISUAL=|GIT_EDITOR=|GIT_SEQUENCE_EDITOR=|SUDO_EDITOR=|SYSTEMD_EDITOR=|FCEDIT=|HGEDITOR=|SVN_EDITOR=|CVSEDITOR=|BZR_EDITOR=|PSQL_EDITOR=|KUBE_EDITOR=|CRONTAB_EDITOR=|BUNDLER_EDITOR=|GEM_EDITOR=|GH_EDITOR=|LESSEDIT=|JJ_EDITOR=", "shell", "", "", "EDITOR='payload -c' crontab -e", "LANG=C crontab -l"),
    Launcher("*", "BROWSER=|GH_BROWSER=|TERMINAL=", "shell", "", "", "BROWSER='payload -c' man -H ls", "DISPLAY=:0 man ls"),
    Launcher("*", "LESSOPEN=|LESSCLOSE=", "shell", "||- || |- | .", "", "LESSOPEN='|payload %s' less a", "LESSCHARSET=utf-8 less a"),
    Launcher("*", "LESS=", "shell", "**+! **++!", "", "LESS='+!payload' less a", "LESS=-R less a"),
    Launcher("*", "MAKESHELL=", "shell", "", "", "MAKESHELL=payload make all", "MAKELEVEL=1 make all"),
    # version control and transfer
    Launcher("*", "GIT_SSH_COMMAND=|GIT_SSH=|GIT_PROXY_COMMAND=|GIT_EXTERNAL_DIFF=|SVN_SSH=|CVS_RSH=|BZR_SSH=|HGMERGE=|RSYNC_RSH=|RSYNC_CONNECT_PROG=|BORG_RSH=|BORG_PASSCOMMAND=|RESTIC_PASSWORD_COMMAND=|AUTOSSH_PATH=|DOCKER_SSH_COMMAND=|TAR_RSH=", "shell", "", "", "GIT_SSH_COMMAND='payload -c' git fetch", "GIT_TRACE=1 git fetch"),
    Launcher("*", "GIT_ASKPASS=|SSH_ASKPASS=|SUDO_ASKPASS=|GIT_EXEC_PATH=", "program", "*/<", "", "GIT_ASKPASS=./payload git fetch", "GIT_TERMINAL_PROMPT=0 git fetch"),
    Launcher("*", "GIT_CONFIG_PARAMETERS=", "shell", "**core.pager= **core.pager'=' **core.sshcommand= **core.sshcommand'=' **core.fsmonitor= **core.fsmonitor'=' **core.editor= **core.editor'='", "", "GIT_CONFIG_PARAMETERS=\"'core.pager=payload'\" git -p log", "GIT_CONFIG_PARAMETERS=\"'user.name=ada'\" git log"),
    Launcher("*", "GIT_CONFIG_VALUE_0=|GIT_CONFIG_VALUE_1=|GIT_CONFIG_VALUE_2=|GIT_CONFIG_VALUE_3=", "shell", "! .", "", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='payload -c' git -p log", "GIT_CONFIG_COUNT=0 git log"),
    Launcher("*", "TAR_OPTIONS=", "shell", "**--checkpoint-action=exec= **--use-compress-program= **--use-compress-program~ **--to-command= **--info-script= **-i~", "", "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=payload' tar cf a .", "TAR_OPTIONS=--no-same-owner tar xf a"),
    # interpreters
    Launcher("*", "PERL5OPT=", "perl", "**-m **-e~", "", "PERL5OPT='-Mpayload' perl a.pl", "PERL_UNICODE=SA perl a.pl"),
    Launcher("*", "PERL5DB=", "perl", "", "", "PERL5OPT=-d PERL5DB='exec \"payload\"' perl a", "PERL_LWP_ENV_PROXY=1 perl a"),
    Launcher("*", "RUBYOPT=", "program", "**-r", "", "RUBYOPT='-r./payload' ruby a.rb", "RUBYOPT=-W0 ruby a.rb"),
    Launcher("*", "NODE_OPTIONS=", "program", "**--require~ **-r~ **--import~ **--loader~ **--experimental-loader~", "", "NODE_OPTIONS='--require ./payload.js' node a.js", "NODE_OPTIONS=--max-old-space-size=4096 node a.js"),
    Launcher("*", "JAVA_TOOL_OPTIONS=|_JAVA_OPTIONS=|JDK_JAVA_OPTIONS=|JAVA_OPTS=|MAVEN_OPTS=|GRADLE_OPTS=|CATALINA_OPTS=|SBT_OPTS=", "program", "**-javaagent: **-agentpath: **-agentlib:", "", "JAVA_TOOL_OPTIONS=-javaagent:payload.jar java Main", "JAVA_TOOL_OPTIONS=-Xmx1g java Main"),
    Launcher("*", "JAVA_TOOL_OPTIONS=|_JAVA_OPTIONS=|JDK_JAVA_OPTIONS=|JAVA_OPTS=", "shell", "**-xx:onerror= **-xx:onoutofmemoryerror=", "", "_JAVA_OPTIONS='-XX:OnError=payload' java Main", "_JAVA_OPTIONS=-Xss1m java Main"),
    Launcher("*", "LUA_INIT=|LUA_INIT_5_1=|LUA_INIT_5_2=|LUA_INIT_5_3=|LUA_INIT_5_4=", "lua", "", "", "LUA_INIT='os.execute(\"payload\")' lua a.lua", "LUA_PATH='?.lua' lua a.lua"),
    Launcher("*", "VIMINIT=|EXINIT=|GVIMINIT=|MYVIMRC=", "vim", "", "", "VIMINIT=':!payload' vim a", "VIMRUNTIME=/usr/share/vim vim a"),
    Launcher("*", "GROFF_BIN_PATH=|AWKLIBPATH=|R_PROFILE=|R_PROFILE_USER=|R_ENVIRON=|JULIA_LOAD_PATH=|EMACSLOADPATH=|ERL_LIBS=|PHPRC=|PHP_INI_SCAN_DIR=|PSQLRC=|INPUTRC=|TCLLIBPATH=", "program", "@scratch", "", "R_PROFILE_USER=/tmp/payload.R R", "R_LIBS=a R"),
    Launcher("*", "ERL_AFLAGS=|ERL_ZFLAGS=|ERL_FLAGS=|ELIXIR_ERL_OPTIONS=", "other", "**-eval~", "", "ERL_AFLAGS='-eval payload' erl", "ERL_AFLAGS='-kernel shell_history enabled' iex"),
    # compilers and build tools
    Launcher("*", "RUSTC_WRAPPER=|RUSTC_WORKSPACE_WRAPPER=|RUSTC=|RUSTDOC=|CARGO_BUILD_RUSTC_WRAPPER=|CARGO_BUILD_RUSTC=|CC=|CXX=|LD=|AR=|CPP=|FC=|GCC_EXEC_PREFIX=|COMPILER_PATH=|CCACHE_PREFIX=|CCACHE_COMPILER=|CMAKE_C_COMPILER_LAUNCHER=|CMAKE_CXX_COMPILER_LAUNCHER=|CMAKE_TOOLCHAIN_FILE=|AUTOM4TE=|AUTOCONF=|AUTOHEADER=|AUTOMAKE=|ACLOCAL=|M4=|YACC=|LEX=|PKG_CONFIG=|CONFIG_SHELL=|CONFIG_SITE=", "shell", "", "", "CC='payload -c' make", "CFLAGS=-O2 make"),
    Launcher("*", "GOFLAGS=", "shell", "**-toolexec= **-exec=", "", "GOFLAGS=-toolexec=payload go build", "GOFLAGS=-mod=mod go build"),
    Launcher("*", "MAKEFLAGS=|GNUMAKEFLAGS=", "shell", "**--eval=$(shell **$(shell", "", "MAKEFLAGS='--eval=$(shell payload)' make", "MAKEFLAGS=-j4 make"),
    Launcher("*", "MAKEFILES=", "program", "@scratch", "", "MAKEFILES=/tmp/payload.mk make", "MAKEFLAGS=-s make"),
    Launcher("*", "NPM_CONFIG_SCRIPT_SHELL=|npm_config_script_shell=|npm_config_node_options=|NPM_CONFIG_EDITOR=|npm_config_editor=|npm_config_git=|YARN_YARN_PATH=", "shell", "", "", "npm_config_script_shell=payload npm test", "npm_config_loglevel=warn npm test"),
    Launcher("*", "DBUS_SESSION_BUS_ADDRESS=|DBUS_SYSTEM_BUS_ADDRESS=|DBUS_STARTER_ADDRESS=", "program", "**unixexec:path=>,", "", "DBUS_SESSION_BUS_ADDRESS=unixexec:path=./payload,argv1=-c busctl", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus busctl"),
    Launcher("*", "ANSIBLE_SSH_COMMON_ARGS=|ANSIBLE_SSH_ARGS=|ANSIBLE_SSH_EXTRA_ARGS=", "shell", "**proxycommand= **proxycommand~", "", "ANSIBLE_SSH_ARGS='-o ProxyCommand=payload' ansible all -m ping", "ANSIBLE_HOST_KEY_CHECKING=False ansible all -m ping"),
    Launcher("*", "ANSIBLE_VAULT_PASSWORD_FILE=|AWS_CREDENTIAL_PROCESS=|CARGO_REGISTRY_CREDENTIAL_PROVIDER=|FZF_DEFAULT_COMMAND=|FZF_CTRL_T_COMMAND=|FZF_ALT_C_COMMAND=|SKIM_DEFAULT_COMMAND=|RCLONE_PASSWORD_COMMAND=", "shell", "", "", "FZF_DEFAULT_COMMAND='payload -c' fzf", "FZF_DEFAULT_OPTS=--multi fzf"),
)
# fmt: on
