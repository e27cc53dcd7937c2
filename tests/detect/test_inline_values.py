import pytest

from guardhouse.detect.acts import UNKNOWN, Source
from guardhouse.detect.inline import read_code
from guardhouse.model import Effect


def seen(language, code):
    return {(act.effect, act.target) for act in read_code(language, code)}


@pytest.mark.parametrize(
    ("language", "code", "command"),
    [
        ("perl", 'my $c="id"; my ($c,$b)=@ARGV; system $c', UNKNOWN),
        ("perl", '$c="id"; for my $c (@x) { system $c }', UNKNOWN),
        ("perl", '$c="id"; ($c) = split /a/, $x; system $c', UNKNOWN),
        ("perl", '$c="id"; $c .= "; rm x"; system $c', "id; rm x"),
        ("perl", '$c="id"; $c =~ s/id/rm/; system $c', UNKNOWN),
        ("perl", '$c="id"; system $c if $c =~ /id/', "id"),
        ("node", 'let c="id"; for (const c of xs) { execSync(c) }', UNKNOWN),
        ("node", 'let c="id"; [c] = xs; execSync(c)', UNKNOWN),
        ("node", 'let c="id"; ({c} = xs); execSync(c)', UNKNOWN),
        ("node", 'let c="id"; xs.forEach(c => execSync(c))', UNKNOWN),
        ("node", 'let c="id"; xs.forEach((c, i) => execSync(c))', UNKNOWN),
        ("node", 'let c="id"; function f(c) { execSync(c) }', UNKNOWN),
        ("node", 'let c="id"; c += " x"; execSync(c)', "id x"),
        ("node", 'const a="x", c="id"; execSync(c)', "id"),
        ("ruby", 'c="id"; a, c = xs; system(c)', UNKNOWN),
        ("ruby", 'c="id"; xs.each { |c| system(c) }', UNKNOWN),
        ("ruby", 'c="id"; for c in xs do system(c) end', UNKNOWN),
        ("ruby", 'c="id"; c << " x"; system(c)', UNKNOWN),
        ("ruby", 'c="id"; c.gsub!("i","r"); system(c)', UNKNOWN),
        ("ruby", 'a, c = "x", "id"; system(c)', "id"),
        ("php", '$c="id"; foreach ($x as $k => $c) { system($c); }', UNKNOWN),
        ("php", '$c="id"; list($a,$c)=$x; system($c);', UNKNOWN),
        ("php", '$c="id"; extract($_GET); system($c);', UNKNOWN),
        ("php", '$c="id"; $c .= " x"; system($c);', "id x"),
        ("lua", 'c="id"; for k, c in pairs(t) do os.execute(c) end', UNKNOWN),
        ("lua", 'c="id"; a, c = f(); os.execute(c)', UNKNOWN),
        ("go", 'c := "id"; exec.Command(c)', "id"),
        ("go", 'c := "id"; for _, c := range xs { exec.Command(c) }', UNKNOWN),
        ("go", 'c := "id"; a, c := f(); exec.Command(c)', UNKNOWN),
        ("node", 'let c = "id"; try { f() } catch (c) { execSync(c) }', UNKNOWN),
        ("lua", 'local c = "id"; local a, c = f(); os.execute(c)', UNKNOWN),
        ("perl", '$c = "id"; $c =<STDIN>; system $c', UNKNOWN),
        ("perl", '$c = "id"; $c =%h; system $c', UNKNOWN),
        ("perl", '$c = "id"; $c ||= $x; system $c', UNKNOWN),
        ("go", 'c := "id"; c = <-ch; exec.Command(c)', UNKNOWN),
        ("node", 'let c = "id"; if (c == x || c >= y) execSync(c)', "id"),
    ],
)
def test_a_name_is_only_worth_what_it_must_be_where_it_is_used(language, code, command):
    assert {act.target for act in read_code(language, code)} == {command}


@pytest.mark.parametrize(
    ("language", "code", "effect", "target"),
    [
        ("perl", 'unlink "$ENV{HOME}/.ssh/id_rsa"', Effect.DELETES, "~/.ssh/id_rsa"),
        ("perl", "use File::Path; rmtree($ENV{HOME})", Effect.DELETES, "~"),
        ("perl", "rmtree(\"$ENV{'HOME'}/x\")", Effect.DELETES, "~/x"),
        ("perl", 'system("rm -rf $ENV{HOME}")', Effect.EXECUTES, "rm -rf $HOME"),
        ("perl", 'system("rm", "-rf", $ENV{HOME})', Effect.EXECUTES, "rm -rf $HOME"),
        ("perl", "system(\"rm -rf '$ENV{HOME}'\")", Effect.EXECUTES, "rm -rf ''\"$HOME\"''"),
        ("ruby", "FileUtils.rm_rf(Dir.home)", Effect.DELETES, "~"),
        ("ruby", "FileUtils.rm_rf Dir.home", Effect.DELETES, "~"),
        ("ruby", 'FileUtils.rm_rf(ENV["HOME"] + "/x")', Effect.DELETES, "~/x"),
        ("ruby", 'FileUtils.rm_rf(File.join(Dir.home, "x"))', Effect.DELETES, "~/x"),
        ("ruby", 'FileUtils.rm_rf(File.expand_path("~"))', Effect.DELETES, "~"),
        ("ruby", "Pathname.new(Dir.home).rmtree", Effect.DELETES, "~"),
        ("ruby", "h = Dir.home; FileUtils.rm_rf(h)", Effect.DELETES, "~"),
        ("crystal", 'FileUtils.rm_rf(ENV["HOME"])', Effect.DELETES, "~"),
        ("php", 'unlink($_SERVER["HOME"] . "/x");', Effect.DELETES, "~/x"),
        ("php", 'system("rm -rf $_SERVER[HOME]");', Effect.EXECUTES, "rm -rf $HOME"),
        ("node", "fs.rmSync(os.homedir(), {recursive: true})", Effect.DELETES, "~"),
        ("node", 'require("fs").rmSync(require("os").homedir(), {recursive: true})', Effect.DELETES, "~"),
        ("node", 'fs.rmSync(process.env.HOME + "/x", {recursive: true})', Effect.DELETES, "~/x"),
        ("node", "fs.rmSync(`${process.env.HOME}/x`, {recursive: true})", Effect.DELETES, "~/x"),
        ("node", 'fs.rmSync(path.join(os.homedir(), "x"), {recursive: true})', Effect.DELETES, "~/x"),
        ("node", "execSync(`rm -rf ${os.homedir()}`)", Effect.EXECUTES, "rm -rf $HOME"),
        (
            "node",
            "fs.readdirSync(os.homedir()).forEach(f => fs.unlinkSync(path.join(os.homedir(), f)))",
            Effect.DELETES,
            "~/" + UNKNOWN,
        ),
        ("lua", 'os.remove(os.getenv("HOME") .. "/x")', Effect.DELETES, "~/x"),
        ("lua", 'os.execute("rm -rf " .. os.getenv("HOME"))', Effect.EXECUTES, "rm -rf $HOME"),
        ("r", 'unlink(Sys.getenv("HOME"), recursive=TRUE)', Effect.DELETES, "~"),
        ("r", 'h <- Sys.getenv("HOME"); unlink(h, recursive=TRUE)', Effect.DELETES, "~"),
        ("r", 'unlink(file.path(Sys.getenv("HOME"), "x"), recursive=TRUE)', Effect.DELETES, "~/x"),
        ("julia", "rm(homedir(), recursive=true)", Effect.DELETES, "~"),
        ("julia", 'rm(ENV["HOME"], recursive=true)', Effect.DELETES, "~"),
        ("julia", "run(`rm -rf $(homedir())`)", Effect.EXECUTES, "rm -rf $HOME"),
        ("awk", 'BEGIN { system("rm -rf " ENVIRON["HOME"]) }', Effect.EXECUTES, "rm -rf $HOME"),
        ("go", 'os.RemoveAll(os.Getenv("HOME"))', Effect.DELETES, "~"),
        ("go", "home, _ := os.UserHomeDir(); os.RemoveAll(home)", Effect.DELETES, "~"),
        (
            "go",
            'home, err := os.UserHomeDir()\nif err != nil { return }\nos.RemoveAll(filepath.Join(home, "x"))',
            Effect.DELETES,
            "~/x",
        ),
        ("rust", 'fs::remove_dir_all(env::var("HOME").unwrap())', Effect.DELETES, "~"),
        ("c", 'remove(getenv("HOME"));', Effect.DELETES, "~"),
        (
            "emacs",
            '(call-process "rm" nil (current-buffer) nil "-rf" (getenv "HOME"))',
            Effect.EXECUTES,
            "rm -rf $HOME",
        ),
        ("emacs", '(delete-directory "~" t)', Effect.DELETES, "~"),
        ("emacs", '(delete-directory (expand-file-name "~/x") t)', Effect.DELETES, "~/x"),
        ("emacs", '(delete-directory (getenv "HOME") t)', Effect.DELETES, "~"),
        ("groovy", 'new File(System.getProperty("user.home")).deleteDir()', Effect.DELETES, "~"),
        ("elixir", "File.rm_rf!(System.user_home!())", Effect.DELETES, "~"),
        ("tcl", "file delete -force $env(HOME)", Effect.DELETES, "~"),
        ("tcl", "exec rm -rf $::env(HOME)", Effect.EXECUTES, "rm -rf $HOME"),
        ("powershell", "Remove-Item -Recurse $HOME", Effect.DELETES, "~"),
        ("powershell", 'rm -r "$env:USERPROFILE\\x"', Effect.DELETES, "~/x"),
        ("cmd", "rd /s /q %USERPROFILE%", Effect.DELETES, "~"),
        ("make", "x:\n\trm -rf $(HOME)/x", Effect.EXECUTES, "rm -rf $HOME/x"),
        ("vim", ':call delete($HOME, "rf")', Effect.DELETES, "~"),
        ("vim", ':call delete(expand("~"), "rf")', Effect.DELETES, "~"),
    ],
)
def test_the_home_directory_is_known_however_one_asks_for_it(language, code, effect, target):
    assert (effect, target) in seen(language, code)


@pytest.mark.parametrize(
    ("language", "code", "effect", "target"),
    [
        ("perl", 'unlink glob "$ENV{HOME}/*"', Effect.DELETES, "~/*"),
        ("perl", "unlink <$ENV{HOME}/*>", Effect.DELETES, "~/*"),
        ("perl", 'unlink for glob("$ENV{HOME}/*")', Effect.DELETES, "~/*"),
        ("perl", 'map { unlink } glob "~/*"', Effect.DELETES, "~/*"),
        ("ruby", 'FileUtils.rm_rf(Dir.glob("#{Dir.home}/*"))', Effect.DELETES, "~/*"),
        ("ruby", "Dir.glob(\"#{ENV['HOME']}/*\").each { |f| File.delete(f) }", Effect.DELETES, "~/*"),
        ("ruby", 'Dir["/x/*"].each { |f| File.delete(f) }', Effect.DELETES, "/x/*"),
        ("php", 'array_map("unlink", glob("/x/*"));', Effect.DELETES, "/x/*"),
        ("php", 'array_map("unlink", glob(getenv("HOME") . "/*"));', Effect.DELETES, "~/*"),
        ("php", "foreach (glob(\"{$_SERVER['HOME']}/*\") as $f) unlink($f);", Effect.DELETES, "~/*"),
        ("powershell", "gci $HOME | rm -r", Effect.DELETES, "~/*"),
    ],
)
def test_files_that_are_looked_for_and_deleted_are_named(language, code, effect, target):
    assert (effect, target) in seen(language, code)


@pytest.mark.parametrize(
    ("language", "code", "effect", "target"),
    [
        ("php", 'eval(base64_decode("c3lzdGVtKCdpZCcpOw=="));', Effect.EXECUTES, "id"),
        ("node", 'eval(atob("ZXhlY1N5bmMoJ2lkJyk="))', Effect.EXECUTES, "id"),
        ("node", 'eval(Buffer.from("ZXhlY1N5bmMoJ2lkJyk=", "base64").toString())', Effect.EXECUTES, "id"),
        ("ruby", 'eval(Base64.decode64("c3lzdGVtKCdpZCcp"))', Effect.EXECUTES, "id"),
        ("perl", 'eval decode_base64("c3lzdGVtKCdpZCcp")', Effect.EXECUTES, "id"),
        ("perl", 'eval(pack("H*", "73797374656d2827696427293b"))', Effect.EXECUTES, "id"),
        ("php", 'system(base64_decode("aWQ="));', Effect.EXECUTES, "id"),
        ("powershell", "powershell -enc cgBtACAALQByACAALwB4AA==", Effect.DELETES, "/x"),
    ],
)
def test_a_literal_in_a_plain_encoding_is_decoded_and_said_to_be(language, code, effect, target):
    acts = read_code(language, code)
    assert (effect, target) in {(act.effect, act.target) for act in acts}
    assert any(Source.DECODED in act.sources for act in acts)


@pytest.mark.parametrize(
    ("language", "code", "effect", "target"),
    [
        ("crystal", 'Process.run("rm", ["-rf", "x"])', Effect.EXECUTES, "rm -rf x"),
        ("crystal", "`rm -rf x`", Effect.EXECUTES, "rm -rf x"),
        ("go", 'exec.Command("sh", "-c", "rm -rf x").Run()', Effect.EXECUTES, "sh -c 'rm -rf x'"),
        (
            "go",
            'syscall.Exec("/bin/sh", []string{"sh", "-c", "rm x"}, os.Environ())',
            Effect.EXECUTES,
            "/bin/sh -c 'rm x'",
        ),
        ("go", 'net.Dial("tcp", "example.com:42")', Effect.CONNECTS, "example.com:42"),
        ("rust", 'Command::new("sh").arg("-c").arg("rm -rf x").spawn()', Effect.EXECUTES, "sh -c 'rm -rf x'"),
        ("rust", 'std::process::Command::new("rm").args(["-rf", "x"]).status()', Effect.EXECUTES, "rm -rf x"),
        ("rust", 'Command::new("sh")\n  .arg("-c")\n  .arg(cmd)\n  .output()', Effect.EXECUTES, "sh -c " + UNKNOWN),
        ("rust", 'Command::new("rm").args(&["-rf", "x"]).status()', Effect.EXECUTES, "rm -rf x"),
        ("rust", 'std::fs::remove_dir_all("/x").unwrap()', Effect.DELETES, "/x"),
        ("rust", 'TcpStream::connect("example.com:42")', Effect.CONNECTS, "example.com:42"),
        ("c", 'int main(){ system("rm -rf x"); }', Effect.EXECUTES, "rm -rf x"),
        ("c", 'execl("/bin/rm","rm","-rf","x",NULL);', Effect.EXECUTES, "/bin/rm -rf x"),
        ("c", 'execve("/bin/sh", (char*[]){"sh","-c","rm x",NULL}, NULL);', Effect.EXECUTES, "/bin/sh -c 'rm x'"),
        ("c", 'char *a[]={"sh",0}; execve("/bin/sh", a, 0);', Effect.EXECUTES, "/bin/sh " + UNKNOWN),
        ("c", 'popen("id","r");', Effect.EXECUTES, "id"),
        ("c", 'unlink("/x"); remove("/y");', Effect.DELETES, "/y"),
        ("c", 'if (c == \'"\') system("id"); puts("x");', Effect.EXECUTES, "id"),
        ("emacs", '(shell-command "rm -rf x")', Effect.EXECUTES, "rm -rf x"),
        ("emacs", '(call-process "rm" nil nil nil "-rf" "x")', Effect.EXECUTES, "rm -rf x"),
        ("emacs", '(async-shell-command "id")', Effect.EXECUTES, "id"),
        ("emacs", '(start-process "n" nil "rm" "-rf" "x")', Effect.EXECUTES, "rm -rf x"),
        ("emacs", '(make-process :name "x" :command \'("rm" "-rf" "x"))', Effect.EXECUTES, "rm -rf x"),
        ("emacs", '(term "/bin/sh")', Effect.EXECUTES, "/bin/sh"),
        ("emacs", '(shell-command (concat "rm -rf " x))', Effect.EXECUTES, "rm -rf " + UNKNOWN),
        ("emacs", '(shell-command (format "rm %s" x))', Effect.EXECUTES, "rm " + UNKNOWN),
        ("emacs", '(eval (read "(shell-command \\"id\\")"))', Effect.EXECUTES, UNKNOWN),
        ("groovy", '"rm -rf x".execute()', Effect.EXECUTES, "rm -rf x"),
        ("groovy", '["rm", "-rf", "x"].execute()', Effect.EXECUTES, "rm -rf x"),
        ("groovy", 'def c = "id"; c.execute()', Effect.EXECUTES, "id"),
        ("groovy", '"rm ${x}".execute()', Effect.EXECUTES, "rm " + UNKNOWN),
        ("kotlin", 'File("/x").deleteRecursively()', Effect.DELETES, "/x"),
        ("kotlin", 'ProcessBuilder("rm", "-rf", "x").start()', Effect.EXECUTES, "rm -rf x"),
        ("java", 'new File("/x").delete();', Effect.DELETES, "/x"),
        ("java", 'File f = new File("/x"); f.delete();', Effect.DELETES, "/x"),
        ("scala", 'Seq("rm", "-rf", "x").!', Effect.EXECUTES, "rm -rf x"),
        ("csharp", 'Process.Start("rm", "-rf x");', Effect.EXECUTES, "rm -rf x"),
        ("rust", 'let mut c = Command::new("sh"); c.arg("-c").arg("id");', Effect.EXECUTES, "sh " + UNKNOWN),
    ],
)
def test_each_language_has_its_own_way_to_name_a_program_or_place(language, code, effect, target):
    assert (effect, target) in seen(language, code)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("tcl", "if {[info exists x] && $y == 1} {puts hi}"),
        ("vim", 'if a || !exists("x")'),
        ("perl", "=pod\n\nsystem administration\n\n=cut\nprint 1"),
        ("perl", "my %h = (unlink => 1); print $h{unlink}"),
        ("perl", "print $a <$b and $c> 3"),
        ("java", 'map.delete(); list.delete("a")'),
        ("c", 'char c = \'"\'; puts("system(1)");'),
        ("emacs", '(insert ?\\" "(shell-command 1)")'),
        ("node", "console.log(os.homedir(), path.join(os.homedir(), 'x'))"),
        ("ruby", "puts Dir.home, Dir.glob('*')"),
        ("php", "print_r(glob('*')); echo base64_decode('aWQ=');"),
        ("groovy", "statement.execute()"),
    ],
)
def test_asking_is_not_doing(language, code):
    assert not read_code(language, code)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("ruby", 'x =begin; system("id"); end\ny =end'),
        ("perl", 'x() =pod; system("id");\n=cut'),
        ("perl", 'print 1 <2*system("id")> 3'),
        ("c", "a = '\\''; system(\"id\"); b = '\\'';"),
    ],
)
def test_what_only_looks_like_a_comment_or_a_string_hides_nothing(language, code):
    assert (Effect.EXECUTES, "id") in seen(language, code)
