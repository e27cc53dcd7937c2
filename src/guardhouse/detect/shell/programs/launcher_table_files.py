"""Ways to have code run by programs that pack, copy, search and filter files.

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
    # archives
    Launcher("tar gtar bsdtar", "--checkpoint-action", "shell", "exec=", "-f --file -C --directory -T --files-from -X --exclude-from -b --blocking-factor -K -L -N -V --label -g --exclude --transform --xform --checkpoint? --owner --group --mode --mtime --strip-components --format -H --newer --suffix --one-top-level? --sort", "tar cf a.tar . --checkpoint=1 --checkpoint-action=exec=payload", "tar cf a.tar . --checkpoint=100 --checkpoint-action=dot"),
    Launcher("tar gtar bsdtar", "-I|--use-compress-program", "shell", "", "", "tar xf a.tar -I 'payload -c'", "tar xzf a.tar.gz -C /tmp/a"),
    Launcher("tar gtar", "--to-command", "shell", "", "", "tar xf a.tar --to-comm=payload", "tar xf a.tar --to-stdout"),
    Launcher("tar gtar", "-F|--info-script|--new-volume-script", "shell", "", "", "tar cf a.tar -F payload -M .", "tar czf a.tar.gz src"),
    Launcher("tar gtar cpio mt", "--rsh-command|--rmt-command", "program", "", "-F --file -H --format", "cpio -o --rsh-command ./payload -F host.example:a", "cpio -o -F a.cpio"),
    Launcher("zip", "-TT|--unzip-command", "shell", "", "-b -i -x -n -P -t -tt -s -O --out", "zip a.zip a -T -TT 'payload #'", "zip -r a.zip src -x '*.pyc'"),
    # copies
    Launcher("rsync", "-e|--rsh", "shell", "", "-f --filter --exclude --include --exclude-from --include-from --files-from --rsync-path -T --temp-dir -B --block-size -M --remote-option --timeout --port --password-file --bwlimit --log-file --link-dest --compare-dest --copy-dest --backup-dir --suffix --chmod --chown --out-format --partial-dir --max-size --min-size", "rsync -e 'payload -c' a host.example:b", "rsync -av --exclude .git src/ host.example:dst/"),
    Launcher("rsync", "--early-input|--config", "program", "@scratch", "", "rsync --daemon --config=/tmp/payload", "rsync -a a b"),
    Launcher("install ginstall", "-s|--strip --strip-program", "program", "", "-m --mode -o --owner -g --group -t --target-directory -S", "install -s --strip-program=./payload a b", "install -m 755 a b"),
    Launcher("sort gsort", "--compress-program", "program", "", "-k --key -t --field-separator -o --output -S --buffer-size -T --temporary-directory --parallel --batch-size", "sort -S 1 --compress-prog=./payload a", "sort -t , -k 2 a.csv"),
    Launcher("split gsplit", "--filter", "shell", "", "-a -b -C -l -n -t --additional-suffix", "split --filter='payload 1>&2' a", "split -l 100 --additional-suffix=.txt a"),
    Launcher("logrotate", "-m|--mail", "program", "", "-s --state -l --log", "logrotate -m ./payload -f a.conf", "logrotate -s state a.conf"),
    Launcher("rename prename file-rename perl-rename", "!-e 1", "perl", "", "", "rename 'system(\"payload\")' a", "rename --version"),
    Launcher("rename prename file-rename perl-rename", "-e|-E", "perl", "", "", "rename -e 'system(\"payload\")' a", "rename s/a/b/ a"),
    Launcher("exiftool", "-if|-if0|-if1|-if2", "perl", "", "-o -d -x -i -ext -p -tagsFromFile -csv -@ -charset -lang -api", "exiftool -if 'system(\"payload\")' a.jpg", "exiftool -ext jpg -d %Y a"),
    Launcher("exiftool", "-config", "program", "@scratch", "", "exiftool -config /tmp/payload a.jpg", "exiftool a.jpg"),
    Launcher("ar", "--plugin", "program", "", "", "ar --plugin ./payload.so r a.a a.o", "ar rcs a.a a.o"),
    # search
    Launcher("fd fdfind", "-x|--exec|-X|--exec-batch", "argv", "", "-e --extension -t --type -d --max-depth -E --exclude -S --size -c --color -j --threads -o --owner --changed-within --changed-before --base-directory --search-path --min-depth --exact-depth --max-results --path-separator --format --batch-size", "fd -e txt -x payload {}", "fd -t f -e py test src"),
    Launcher("rg ripgrep", "--pre|--hostname-bin", "program", "", "-e --regexp -f --file -g --glob -t --type -T --type-not -A -B -C -m -M -r --replace -j -E --sort --sortr --colors --color --iglob --max-depth --pre-glob --engine --context --type-add", "rg --pre ./payload x", "rg -n --pretty -g '*.py' 'system(' src"),
    Launcher("ag ack ack-grep ugrep ug", "--pager?", "shell", "", "-A -B -C -g -G -m", "ag --pager='payload -c' x", "ag --nopager -A 3 x src"),
    Launcher("ugrep ug", "--filter", "shell", "*:", "", "ugrep --filter='pdf:payload %' x", "ugrep -A 3 -n x"),
    Launcher("fzf", "--preview", "shell", "", "-q --query -f --filter -d --delimiter -n --nth --with-nth --height --layout --border --prompt --header --preview-window --color --expect --tiebreak", "fzf --preview 'payload {}'", "fzf -q main --preview-window right"),
    Launcher("fzf", "--bind", "shell", "**execute( **execute-silent( **execute-multi( **reload( **reload-sync( **become( **transform( **preview( **execute[ **execute{ **reload[ **become[", "", "fzf --bind 'enter:execute(payload {})'", "fzf --bind 'ctrl-a:select-all'"),
    Launcher("fzf", "--bind", "shell", "**execute: **execute-silent: **reload: **become: **transform: **preview:", "", "fzf --bind 'start:reload:payload'", "fzf --bind 'ctrl-a:select-all,ctrl-d:deselect-all'"),
    Launcher("fzf", "--with-shell", "shell", "", "", "fzf --with-shell 'payload -c'", "fzf --multi"),
    Launcher("sk", "-c|--cmd|--preview", "shell", "", "-q -d -n -p", "sk -i -c 'payload {}'", "sk -q main"),
    # filters
    Launcher("sed gsed ssed", "-e|--expression", "sed", "", "--line-length -i? --in-place? -I?", "sed -n -e '1e payload' a", "sed -i -f a.sed a"),
    Launcher("sed gsed ssed", "!-e|--expression|-f|--file 1", "sed", "", "", "sed -n '1e payload' a", "sed --version"),
    Launcher("sed gsed ssed", "-f|--file", "program", "@scratch", "", "sed -nf /tmp/payload.sed a", "sed -n 's/a/b/p' a"),
    Launcher("awk gawk mawk nawk original-awk goawk", "!-f|--file|-e|--source|-E|--exec 1", "awk", "", "-F --field-separator -v --assign", "awk -F: 'BEGIN {system(\"payload\")}'", "awk --version"),
    Launcher("gawk awk", "-e|--source", "awk", "", "", "gawk -e 'BEGIN {system(\"payload\")}'", "gawk '{print $1}' a"),
    Launcher("awk gawk mawk nawk original-awk goawk", "-f|--file|-E|--exec|-i|--include", "program", "@scratch", "", "awk -f /tmp/payload.awk a", "awk -F , '{print $2}' a.csv"),
    Launcher("gawk awk", "-l|--load", "program", "", "", "gawk -l ./payload.so 1", "gawk 'END {print NR}' a"),
    Launcher("mlr miller", "*", "shell", '**system(" **exec("', "", "mlr -n put 'end {print system(\"payload\")}'", "mlr --icsv --ojson cat a.csv"),
    Launcher("csvtool", "call 1", "shell", "", "-t -u", "csvtool call 'payload;false' a.csv", "csvtool col 1 a.csv"),
    Launcher("msgfilter", "--", "argv", "", "-i --input -o --output -D --directory -w --width", "msgfilter -i a.po payload -c x", "msgfilter --version"),
    Launcher("msgexec", "--", "argv", "", "-i --input -D --directory", "msgexec -i a.po payload -c x", "msgexec --version"),
    Launcher("pee", "*", "shell", "", "", "cat a | pee 'payload -c' cat", "pee --help"),
    Launcher("enscript", "-I|--filter", "shell", "", "-o --output -p -P -M -f -F -E? -L -W", "enscript a -qo b -I 'payload >&2'", "enscript -p a.ps a"),
    Launcher("m4 gm4", "!1 stdin", "other", "", "-I -D -U", "m4", "m4 a.m4"),
    Launcher("m4 gm4", "-D|--define", "shell", "**syscmd( **esyscmd(", "", "m4 -D 'x=esyscmd(payload)' a.m4", "m4 -D x=1 a.m4"),
    Launcher("groff troff nroff pic gpic soelim", "-U stdin", "other", "", "-T -m -o -r -d -F -M", "groff -U", "groff -Tascii -man a.1"),
    Launcher("easyrsa", "--vars", "program", "@scratch", "", "easyrsa --vars=/tmp/payload", "easyrsa init-pki"),
    Launcher("procmail", "-m 1", "program", "", "-d -a -f", "procmail -m payload.rc", "procmail -d ada"),
    Launcher("zic", "-y", "program", "", "-d -l -p -L -b -r -t", "zic -d . -y ./payload a", "zic -d out a"),
    Launcher("hyperfine", "*", "shell", "", "-w --warmup -r --runs -m --min-runs -M --max-runs -P --parameter-scan -L --parameter-list --export-json --export-csv --export-markdown -n --command-name -S --shell -u --time-unit --style --output --input", "hyperfine -w 3 'payload -c'", "hyperfine --version"),
    Launcher("hyperfine", "-p|--prepare|-s|--setup|-c|--cleanup|-C|--conclude|--reference", "shell", "", "", "hyperfine --prepare payload 'make'", "hyperfine 'make'"),
    Launcher("pandoc", "-F|--filter|-L|--lua-filter|--pdf-engine", "program", "@scratch", "-o --output -f --from -t --to -r -w -V --variable -M --metadata -H -B -A -c --css -T --template --data-dir --resource-path --bibliography --csl --highlight-style", "pandoc -L /tmp/payload.lua a.md", "pandoc -f markdown -t html a.md -o a.html"),
    Launcher("gs ghostscript", "-sOutputFile|-o", "shell", "%pipe%", "-r", "gs -q -sOutputFile=%pipe%payload a.ps", "gs -q -sDEVICE=pdfwrite -sOutputFile=a.pdf a.ps"),
    Launcher("gs ghostscript", "-c", "shell", "**(%pipe%", "", "gs -q -dNOSAFER -c '(%pipe%payload) (w) file'", "gs -q -c quit"),
    Launcher("convert magick identify mogrify composite montage display animate compare gm sox soxi play rec", "*", "shell", "|", "", "convert '|payload' a.png", "convert a.png -resize 50% b.png"),
    Launcher("convert magick identify", "*", "program", "msl: mvg:", "", "convert msl:payload.msl a.png", "convert a.png png:b.png"),
    Launcher("xdg-user-dir", "1", "shell", "*};", "", "xdg-user-dir '}; payload #'", "xdg-user-dir DESKTOP"),
    Launcher("screenfetch", "-o", "shell", "", "-D -A -S -c", "screenfetch -o payload", "screenfetch -n"),
    Launcher("fastfetch", "-c|--config", "program", "@scratch", "-s -l", "fastfetch -c /tmp/payload.jsonc", "fastfetch -s os"),
    Launcher("neofetch", "--config", "program", "@scratch", "", "neofetch --config /tmp/payload", "neofetch --off"),
)
# fmt: on
