"""Verbs of package managers: code from odd places, releases taken back, and removals that pass over all checks.

Installing, removing, updating, building and publishing in the ordinary way are not here.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_RUNS = Effect.EXECUTES
_GONE = Effect.MUTATES
_URL = "http://*|https://*|git+*|git://*|ssh://*|ftp://*"
_PIP = "-r --requirement -c --constraint -e --editable -t --target -i --index-url --extra-index-url --index --default-index -f --find-links --trusted-host --prefix --root --src --platform --python-version --python --proxy --timeout --cache-dir --config-settings --group --extra -p"
_PIP_HOMES = " ".join(f"{option}=https://{home}*" for option in "-i --index-url --extra-index-url --index --default-index".split() for home in "pypi.org/ pypi.python.org/ download.pytorch.org/ test.pypi.org/".split())
_NPM_HOMES = " ".join(f"--registry=https://{home} --registry=https://{home}/*" for home in "registry.npmjs.org registry.yarnpkg.com registry.npmmirror.com npm.pkg.github.com".split())
_ODD_INDEX = "-i --index-url --extra-index-url --index --default-index"

TOOLS: tuple[Tool, ...] = (
    Tool("pip pipx", "--log --proxy --timeout --cache-dir --python"),
    Tool("uv", "--directory --project --config-file --cache-dir --python -p"),
    Tool("poetry pdm hatch", "-C --directory -P --project"),
    Tool("npm pnpm yarn bun", "--prefix -C --dir --registry -w --workspace --cwd --filter -F --tag --otp"),
    Tool("cargo", "--manifest-path --config -Z --color -C"),
    Tool("gem", "-s --source -v --version -i --install-dir --host -k --key"),
    Tool("composer", "-d --working-dir"),
    Tool("apt apt-get aptitude", "-t --target-release -o --option -c --config-file -a"),
    Tool("dpkg", "--root --admindir --instdir"),
    Tool("yum dnf microdnf tdnf", "-c --config --enablerepo --disablerepo --repo -x --exclude --installroot"),
    Tool("rpm", "--root --dbpath -r"),
    Tool("pacman yay paru", "-r --root -b --dbpath --config --cachedir"),
    Tool("apk", "-p --root -X --repository --arch --keys-dir"),
    Tool("zypper", "-R --root -c --config -p --plus-repo"),
    Tool("snap"),
    Tool("flatpak"),
    Tool("nix-env nix-collect-garbage nix-store", "-p --profile -f --file -i --install -e --uninstall --delete-older-than"),
    Tool("nix", "--option --profile"),
    Tool("brew"),
    Tool("choco winget scoop", "--source -s --id --version"),
    Tool("dotnet nuget", "-s --source -k --api-key"),
    Tool("mvn mvnw gradle gradlew"),
    Tool("conda mamba micromamba", "-n --name -p --prefix -c --channel -f --file"),
)

VERBS: tuple[Verb, ...] = (
    Verb("pip", "install", _ODD_INDEX, _PIP_HOMES, _RUNS, "packages come from another place than usual, and their code is run", "pip install from the usual index", "pip install -i https://packages.example.net/simple shop", "pip install --index-url https://pypi.org/simple shop", _PIP),
    Verb("pip", f"install|run|inject ** {_URL}", "", "", _RUNS, "a package from an address is installed, and its code is run", "pip install of a released version", "pip install git+https://git.example.com/shop.git", "pip install shop", _PIP),
    Verb("pip", "install", "-r=http://* -r=https://* --requirement=http://* --requirement=https://* -e=git+* -e=http* --editable=git+* -f=http://* --find-links=http://*", "", _RUNS, "packages from an address are installed, and their code is run", "pip install of released versions", "pip install -r https://example.net/requirements.txt", "pip install -r requirements.txt", _PIP),
    Verb("pip", "install", "--trusted-host", "", _RUNS, "packages are taken from a host without checking that it is the one", "pip install", "pip install --trusted-host packages.example.net shop", "pip install --user shop", _PIP),
    Verb("pip", "config set *index-url|*trusted-host", "", "", Effect.PERSISTS, "from now on, packages come from another place", "", "pip config set global.index-url https://packages.example.net/simple", "pip config list"),
    Verb("uv", "pip install|sync|compile", _ODD_INDEX, _PIP_HOMES, _RUNS, "packages come from another place than usual, and their code is run", "uv pip install from the usual index", "uv pip install --index-url https://packages.example.net/simple shop", "uv pip install shop", _PIP),
    Verb("uv", "add|run|sync|tool", _ODD_INDEX, _PIP_HOMES, _RUNS, "packages come from another place than usual, and their code is run", "uv add from the usual index", "uv add --default-index https://packages.example.net/simple shop", "uv add shop", _PIP),
    Verb("uv", f"pip install ** {_URL}", "", "", _RUNS, "a package from an address is installed, and its code is run", "uv pip install of a released version", "uv pip install https://example.net/shop.tar.gz", "uv pip install -r requirements.txt", _PIP),
    Verb("uv", f"add ** {_URL}", "", "", _RUNS, "a package from an address is installed, and its code is run", "uv add of a released version", "uv add git+https://git.example.com/shop.git", "uv add shop --dev", _PIP),
    Verb("poetry", f"add ** {_URL}", "", "", _RUNS, "a package from an address is installed, and its code is run", "poetry add of a released version", "poetry add git+https://git.example.com/shop.git", "poetry add shop"),
    Verb("npm", f"install|i|in|add|exec|x|dlx|global ** {_URL}", "", "", _RUNS, "a package from an address is installed, and its code is run", "npm install of a released version", "npm install https://example.net/shop.tgz", "npm install express"),
    Verb("npm", "install|i|add|ci|exec|x|dlx|update", "--registry", _NPM_HOMES, _RUNS, "packages come from another place than usual, and their code is run", "npm install from the usual registry", "npm install --registry https://packages.example.net shop", "npm install --registry https://registry.npmjs.org/ express"),
    Verb("npm", "unpublish", "", "--dry-run", _GONE, "others can't use the release any more", "npm view", "npm unpublish shop@1.0.0", "npm view shop"),
    Verb("npm", "owner|access|team add|rm|grant|revoke|create|destroy|public|restricted|set|remove", "", "", Effect.ESCALATES, "who may publish the package is changed", "npm owner ls", "npm owner add ann shop", "npm owner ls shop"),
    Verb("npm", "token create", "", "", Effect.ESCALATES, "a new way to log in to the registry is made", "npm token list", "npm token create", "npm token list"),
    Verb("npm", "config set strict-ssl false", "", "", _GONE, "registries are trusted without a check", "", "npm config set strict-ssl false", "npm config set strict-ssl true"),
    Verb("cargo", "yank", "", "--undo", _GONE, "others can't use the release any more", "", "cargo yank --version 1.0.0", "cargo yank --undo --version 1.0.0"),
    Verb("cargo", "owner", "-a --add -r --remove", "", Effect.ESCALATES, "who may publish the package is changed", "cargo owner --list", "cargo owner --add ann shop", "cargo owner --list shop"),
    Verb("gem", "yank", "", "", _GONE, "others can't use the release any more", "", "gem yank shop -v 1.0.0", "gem list"),
    Verb("gem", "owner", "-a --add -r --remove", "", Effect.ESCALATES, "who may publish the package is changed", "gem owner", "gem owner shop --add a@example.com", "gem owner shop"),
    Verb("gem", "install|update", "-s=http://* --source=http://*", "", _RUNS, "packages come unchecked from another place, and their code is run", "gem install", "gem install shop --source http://packages.example.net", "gem install shop"),
    Verb("composer", "config ** secure-http|disable-tls", "", "", _GONE, "packages are taken without a check", "", "composer config -g secure-http false", "composer config --list"),
    Verb("apt", "purge", "", "-s --simulate --dry-run", _GONE, "packages are removed with their settings", "apt-get purge --simulate", "apt-get purge -y nginx", "apt-get purge -s nginx"),
    Verb("apt", "remove|autoremove", "--purge", "-s --simulate --dry-run", _GONE, "packages are removed with their settings", "apt-get remove", "apt-get remove --purge nginx", "apt-get remove nginx"),
    Verb("apt", "**", "--allow-remove-essential --force-yes --allow-unauthenticated --allow-insecure-repositories -o=*allowunauthenticated=* -o=*allowinsecurerepositories=*", "-s --simulate", _GONE, "checks that keep the system whole are passed over", "apt-get without this option", "apt-get install --allow-unauthenticated shop", "apt-get install -y nginx"),
    Verb("apt", "remove|purge ** sudo|linux-image*|systemd|libc6|bash|apt|dpkg|coreutils|init|grub*|openssh-server", "", "-s --simulate --dry-run", _GONE, "the system may not start any more", "", "apt-get remove -y systemd", "apt-get remove -y cowsay"),
    Verb("dpkg", "**", "-P --purge --force-all --force-remove-essential --force-depends", "--dry-run --no-act --simulate", _GONE, "packages are removed with their settings, or checks are passed over", "dpkg --simulate", "dpkg --purge nginx", "dpkg -i shop.deb"),
    Verb("yum", "**", "--nogpgcheck", "", _RUNS, "packages are installed without a check of who made them", "dnf install", "dnf install --nogpgcheck shop.rpm", "dnf install nginx"),
    Verb("yum", "history rollback|undo", "", "", _GONE, "many packages are changed at once", "dnf history info", "dnf history rollback 5", "dnf history list"),
    Verb("yum", f"install|localinstall|reinstall ** {_URL}", "", "", _RUNS, "a package from an address is installed, and its code is run", "dnf install of a known repository's package", "dnf install -y https://example.net/shop.rpm", "dnf install -y nginx"),
    Verb("rpm", "**", "-e --erase", "--test", _GONE, "packages are removed", "rpm -e --test", "rpm -e --nodeps nginx", "rpm -qa"),
    Verb("rpm", f"** {_URL}", "-i -U -F --install --upgrade --freshen", "-q --query", _RUNS, "a package from an address is installed, and its code is run", "rpm -i of a checked file", "rpm -Uvh https://example.net/shop.rpm", "rpm -Uvh shop.rpm"),
    Verb("rpm", "**", "--nosignature --nodigest --rebuilddb", "-q --query", _GONE, "checks that keep the system whole are passed over", "", "rpm -i --nosignature shop.rpm", "rpm -K shop.rpm"),
    Verb("pacman", "**", "-R&-d -R&-c --remove&--nodeps --remove&--cascade", "-p --print", _GONE, "packages are removed against what needs them, or with it", "pacman -R", "pacman -Rdd nginx", "pacman -R nginx"),
    Verb("apk", "**", "--allow-untrusted", "", _RUNS, "packages are installed without a check of who made them", "apk add", "apk add --allow-untrusted shop.apk", "apk add curl"),
    Verb("apk", "del", "--purge", "-s --simulate", _GONE, "packages are removed with their settings", "apk del", "apk del --purge nginx", "apk del nginx"),
    Verb("zypper", "**", "--no-gpg-checks --allow-unsigned-rpm", "", _RUNS, "packages are installed without a check of who made them", "zypper install", "zypper --no-gpg-checks install shop", "zypper install nginx"),
    Verb("snap", "remove", "--purge", "", _GONE, "a program is removed with its data", "snap remove", "snap remove --purge shop", "snap remove shop"),
    Verb("snap", "install", "--dangerous --devmode", "", _RUNS, "a program is installed unchecked, with all rights", "snap install", "snap install --dangerous shop.snap", "snap install shop"),
    Verb("snap", "forget", "", "", _GONE, "a snapshot of a program's data is deleted", "snap saved", "snap forget 21", "snap saved"),
    Verb("flatpak", "uninstall|remove", "--delete-data", "", _GONE, "a program is removed with its data", "flatpak uninstall", "flatpak uninstall --delete-data org.example.Shop", "flatpak uninstall org.example.Shop"),
    Verb("nix-env", "**", "--delete-generations --delete-old -d", "--dry-run", _GONE, "earlier states, the way back, are deleted", "", "nix-collect-garbage -d", "nix-collect-garbage --dry-run"),
    Verb("nix", "profile|store wipe-history|delete|gc", "", "--dry-run", _GONE, "earlier states, the way back, are deleted", "nix profile history", "nix profile wipe-history", "nix profile history"),
    Verb("brew", "uninstall|remove|rm", "--zap --ignore-dependencies", "", _GONE, "a program is removed with its data, or against what needs it", "brew uninstall", "brew uninstall --zap shop", "brew uninstall shop"),
    Verb("choco", "install|upgrade", "--ignore-checksums --ignore-security-hash --allow-empty-checksums", "", _RUNS, "a program is installed unchecked", "choco install", "choco install shop --ignore-checksums", "choco install shop"),
    Verb("dotnet", "nuget delete", "", "", _GONE, "others can't use the release any more", "", "dotnet nuget delete Shop 1.0.0", "dotnet nuget list source"),
    Verb("dotnet", "delete", "", "", _GONE, "others can't use the release any more", "", "nuget delete Shop 1.0.0", "nuget list Shop"),
    Verb("mvn", "**", "-Dmaven.wagon.http.ssl.insecure", "", _RUNS, "packages are taken without a check", "", "mvn -Dmaven.wagon.http.ssl.insecure=true install", "mvn -DskipTests install"),
    Verb("conda", "env remove", "", "--dry-run", _GONE, "an environment is deleted", "conda env list", "conda env remove -n shop", "conda env list"),
    Verb("conda", "remove|uninstall", "--all", "--dry-run -d", _GONE, "an environment is deleted", "conda env list", "conda remove --all -n shop", "conda remove shop"),
)
