"""Ways to have code run by editors, pagers, viewers, terminals and desktop programs.

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
    # editors
    Launcher("vim vi nvim view ex rvim rview gvim gview vimdiff nvi elvis vim.basic vim.tiny evim", "-c|--cmd", "vim", "", "-t -T -w -W -V? -q? -U", "vim -c ':!payload' a", "vim -p a b"),
    Launcher("vim vi nvim view ex rvim rview gvim gview vimdiff nvi elvis vim.basic vim.tiny evim", "+", "vim", "", "", "vim '+!payload' a", "vim a"),
    Launcher("vim vi nvim view ex rvim rview gvim gview vimdiff vim.basic vim.tiny", "-S|-u", "program", "@scratch", "", "vim -S /tmp/payload.vim a", "vim -R a"),
    Launcher("nvim", "-l", "program", "@scratch", "", "nvim -l /tmp/payload.lua", "nvim --headless a"),
    Launcher("ex vi", "!1 stdin", "vim", "", "", "ex -s", "ex a"),
    Launcher("ed red", "!--help|--version stdin", "other", "", "-p", "ed -s a", "ed --version"),
    Launcher("nano pico rnano", "-s|--speller", "shell", "", "-T -r -o -Q -Y -C -f -X -J -b?", "nano -s 'payload -c' a", "nano -l a"),
    Launcher("emacs emacsclient xemacs", "--eval|-eval|--execute|-execute|-e", "other", "", "-d -t -s -f -L -a --alternate-editor --init-directory", "emacs -Q -nw --eval '(term \"payload\")'", "emacs -nw a"),
    Launcher("emacs xemacs", "--script|-script|--load|-load|-l", "program", "@scratch", "", "emacs --script /tmp/payload.el", "emacs -Q a"),
    Launcher("emacsclient", "-a|--alternate-editor", "shell", "", "", "emacsclient -a 'payload' a", "emacsclient -n a"),
    Launcher("kak", "-e|-E", "shell", "**%sh{ !~ nop~%sh{", "", "kak -e 'nop %sh{payload}'", "kak -e 'set global tabstop 2' a"),
    Launcher("jed", "-f|-eval", "other", "", "", "jed -eval 'system(\"payload\")'", "jed a"),
    # pagers
    Launcher("less", "+", "shell", "!", "-b -h -j -o -O -p -P -t -T -x -y -z -k", "less '+!payload' a", "less +G a"),
    Launcher("less", "--lesskey-src|-k|--lesskey-content", "program", "@scratch", "", "less --lesskey-src=/tmp/payload a", "less -R a"),
    Launcher("man", "-P|--pager", "shell", "", "-C -R -L -m -M -S -s -e -r -E -p", "man -P 'payload -c' ls", "man -s 3 printf"),
    Launcher("man", "-H?|--html?", "shell", "", "", "man '-Hpayload #' man", "man --help ls"),
    Launcher("bat batcat delta", "--pager", "shell", "", "-l --language --style --theme --line-range -r -H --wrap --paging --color --decorations --map-syntax -m --terminal-width --file-name", "bat --pager 'payload -c' --paging always a", "bat --paging never -l py a"),
    Launcher("info", "--restore", "program", "", "", "info --restore=payload", "info ls"),
    # mail
    Launcher("mutt neomutt", "-e", "other", "", "-a -b -c -f -F -H -i -m -s -Q", "mutt -e 'set sendmail=payload'", "mutt -s hello ada@example.org"),
    Launcher("mutt neomutt", "-F", "program", "@scratch", "", "mutt -F /tmp/payload.rc", "mutt -f mbox"),
    Launcher("mail mailx Mail s-nail nail", "--exec|-E|-Y", "shell", "**! **shell~", "-s -a -b -c -r -u -S -q -A", "mail --exec='!payload'", "mail -s hello ada@example.org"),
    Launcher("mail mailx Mail s-nail nail", "-~|-I stdin", "other", "", "", "mail -~ ada@example.org", "mail -s hello ada@example.org"),
    Launcher("mail mailx Mail s-nail nail", "-S", "shell", "sendmail= pager= shell= editor= visual=", "", "mailx -S sendmail=payload ada@example.org", "mailx -S from=ada@example.org ada@example.org"),
    # web and pictures
    Launcher("lynx", "-editor|-cmd_script", "shell", "", "", "lynx -editor=payload https://example.org", "lynx -dump https://example.org"),
    Launcher("w3m", "-o", "shell", "extbrowser= editor= mailer= pager= extbrowser2=", "-T -I -O -t -cols", "w3m -o extbrowser=payload https://example.org", "w3m -dump -cols 80 https://example.org"),
    Launcher("elinks links", "-eval", "shell", '**os.execute("', "", "elinks -eval 'os.execute(\"payload\")'", "elinks -dump https://example.org"),
    Launcher("gimp gimp-console", "-b|--batch", "other", "", "-g --batch-interpreter", "gimp -i -b '(payload)'", "gimp -i a.png"),
    Launcher("blender", "--python-expr", "python", "", "-o -f -s -e -a? -E -F -S -t", "blender -b --python-expr 'import os; os.system(\"payload\")'", "blender -b a.blend -f 1"),
    Launcher("blender", "-P|--python|--python-text", "program", "@scratch", "", "blender -b -P /tmp/payload.py", "blender -b a.blend"),
    Launcher("zathura", "-x|--synctex-editor-command", "shell", "", "-c -d -p -P -f", "zathura -x 'payload %{line}' a.pdf", "zathura -P 3 a.pdf"),
    Launcher("mpv", "--script|--scripts|--script-opts-append", "program", "@scratch", "", "mpv --script=/tmp/payload.lua a.mp4", "mpv --fs a.mp4"),
    Launcher("mpv", "--ytdl-raw-options", "shell", "**exec=", "--ytdl?", "mpv --ytdl-raw-options=exec=payload a", "mpv --ytdl-raw-options=format=best a"),
    Launcher("feh", "-A|--action|--action1|--action2|--action3|--info", "shell", "", "-B -C -g -S -w -o -O -D -T", "feh -A 'payload %f' a.png", "feh -g 640x480 a.png"),
    Launcher("scrot", "-e|--exec", "shell", "", "-d --delay -q --quality -t --thumb -a -F --file -n -l", "scrot -e payload", "scrot -d 3 a.png"),
    Launcher("xsane scanimage", "--batch-script", "program", "", "", "scanimage --batch-script ./payload", "scanimage --format=png"),
    # terminals
    Launcher("xterm uxterm lxterm urxvt rxvt urxvtc st konsole alacritty x-terminal-emulator terminology cool-retro-term qterminal ghostty", "-e|--command", "argv", "", "-T -title -n -fn -fa -fs -bg -fg -geometry -t -c -g --title --working-directory --config-file --workdir -o", "xterm -T x -e payload -c", "xterm -geometry 80x24"),
    Launcher("gnome-terminal xfce4-terminal mate-terminal lxterminal terminator tilix guake sakura", "-e|--command", "shell", "", "-T --title --working-directory --geometry", "xfce4-terminal -e 'payload -c'", "gnome-terminal --working-directory /tmp"),
    Launcher("gnome-terminal xfce4-terminal mate-terminal terminator", "-x|--execute", "argv", "", "", "xfce4-terminal -x payload -c", "xfce4-terminal --tab"),
    Launcher("tmux byobu", "^ -c", "shell", "", "-f -L -S -s -t -n -x -y -e -F -T -l", "tmux -c 'payload -c'", "tmux new-window -c /tmp"),
    Launcher("tmux byobu", "new-session|new|new-window|neww|split-window|splitw|respawn-pane|respawnp|respawn-window|respawnw|display-popup|popup --", "shell", "", "-c", "tmux new -d -s x 'payload -c'", "tmux new -s x"),
    Launcher("tmux byobu", "run-shell|run|pipe-pane|pipep --", "shell", "", "", "tmux run-shell 'payload -c'", "tmux ls"),
    Launcher("tmux byobu", "if-shell|if 1", "shell", "", "", "tmux if-shell payload 'display a'", "tmux display a"),
    Launcher("tmux byobu", "send-keys|send *", "shell", "", "", "tmux send-keys -t x 'payload -c' Enter", "tmux attach -t x"),
    Launcher("tmux byobu", "set-option|set|set-environment|setenv default-command|default-shell 1", "shell", "", "", "tmux set -g default-command payload", "tmux set -g mouse on"),
    Launcher("tmux byobu", "source-file|source 1", "program", "@scratch", "", "tmux source-file /tmp/payload.conf", "tmux list-keys"),
    Launcher("tmate", "-c", "shell", "", "-f -S -k -n -r -a", "tmate -c 'payload -c'", "tmate -S /tmp/s new-session -d"),
    Launcher("screen", "-X exec --", "argv", "", "-S -c -e -h -p -s -t -T", "screen -S x -X exec payload -c", "screen -S x -X quit"),
    Launcher("screen", "-X stuff|screen|eval *", "shell", "", "", "screen -S x -X stuff 'payload\n'", "screen -ls"),
    Launcher("screen", "-s", "program", "", "", "screen -s ./payload", "screen -dmS x"),
    Launcher("zellij", "action write-chars *", "shell", "", "-s --session -l --layout", "zellij action write-chars payload", "zellij attach x"),
    Launcher("script", "-c|--command", "shell", "", "-o -m -I -O -B -T -E --log-out --log-in --log-io --log-timing -t?", "script -qc 'payload -c' /dev/null", "script -q a.log"),
    Launcher("scriptlive", "-c|--command", "shell", "", "-I -B -t -T", "scriptlive -c payload -I a", "scriptlive -I a"),
    Launcher("asciinema", "rec|record -c|--command", "shell", "", "-t -i -e", "asciinema rec -c payload a.cast", "asciinema rec a.cast"),
    Launcher("asciinema", "--command", "shell", "", "", "asciinema rec --command payload a.cast", "asciinema play a.cast"),
    Launcher("ttyrec", "-e", "shell", "", "", "ttyrec -e payload a", "ttyrec a"),
    # desktop
    Launcher("i3-msg swaymsg", "exec --", "shell", "", "-t -s", "i3-msg exec payload", "i3-msg workspace 2"),
    Launcher("hyprctl", "dispatch exec --", "shell", "", "", "hyprctl dispatch exec payload", "hyprctl dispatch workspace 2"),
    Launcher("rofi", "-run-command|-run-shell-command|-terminal|-ssh-command|-window-command", "shell", "", "-show -p -theme -modi", "rofi -show run -run-command 'payload {cmd}'", "rofi -show drun"),
    Launcher("plymouth", "--command", "shell", "", "--prompt", "plymouth ask-for-password --prompt=x --command=payload", "plymouth quit"),
    Launcher("osascript", "-e", "shell", '**do~shell~script~" **do~shell~script"', "-l -s", "osascript -e 'do shell script \"payload -c\"'", "osascript -e 'beep'"),
    Launcher("osascript", "-e", "other", "", "", "osascript -e 'tell app \"payload\" to quit'", "osascript a.scpt"),
    Launcher("osascript", "!1 !-e stdin", "other", "", "", "osascript", "osascript a.scpt"),
    Launcher("xautolock", "-locker|-notifier|-killer", "shell", "", "-time -notify", "xautolock -time 5 -locker payload", "xautolock -enable"),
    Launcher("xss-lock", "-n|--notifier", "shell", "", "", "xss-lock -n payload -- xlock", "xss-lock --ignore-sleep"),
    Launcher("swayidle", "*", "shell", "", "-C -S", "swayidle timeout 5 payload", "swayidle -h"),
    Launcher("ranger", "--cmd", "shell", "shell~ !", "", "ranger --cmd='shell payload'", "ranger --cmd='set column_ratios 1,1' a"),
    Launcher("lf", "-command", "shell", "$ ! & % **:!", "-config -selection-path", "lf -command '$payload'", "lf -command 'set hidden' a"),
    Launcher("vifm", "-c|--on-choose", "shell", "! :!", "", "vifm -c '!payload'", "vifm -c 'set number' a"),
)
# fmt: on
