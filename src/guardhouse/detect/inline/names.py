"""What the names of the languages' libraries do, as far as it reaches beyond the program: rows of data with examples.

A name that is in no row does nothing of interest. A row says what is done, and which argument it is done to.
"""

# ruff: noqa: E501  (a table, one entry a line)
from __future__ import annotations

from enum import Enum, auto
from functools import cache
from typing import Final, NamedTuple

from guardhouse.detect.inline.languages import Language, called
from guardhouse.model import Effect


class Does(Enum):
    """What calling a name does."""

    RUNS_LINE = auto()
    """Starts a program; the argument is a command line, or a list of words."""
    RUNS_WORDS = auto()
    """Starts a program; all arguments from there on are its words, a single one is a command line."""
    EVALUATES = auto()
    INCLUDES = auto()
    """Runs a file of code, or what a URL gives."""
    LOADS = auto()
    """Loads machine code."""
    CONNECTS = auto()
    NAMES_HOST = auto()
    """Says where a socket goes, if there is one."""
    LISTENS = auto()
    SERVES = auto()
    """Listens, but speaks HTTP."""
    FETCHES = auto()
    POSTS = auto()
    DELETES = auto()
    DELETES_TREE = auto()
    OVERWRITES = auto()
    WRITES = auto()
    MOVES = auto()
    COPIES = auto()
    """Reads the first file it is given, and writes the second."""
    READS = auto()
    OPENS = auto()
    """Opens a file as a mode says, or a pipe."""
    ESCALATES = auto()
    DECODES = auto()
    CALLS = auto()
    """Calls what the argument names, with the other arguments."""
    ENTERS = auto()
    """Goes to another directory."""
    LISTS = auto()
    """Looks for files by a pattern."""
    LISTS_DIRECTORY = auto()
    """Looks for the files in a directory."""


class Row(NamedTuple):
    """Names of one language, or a few, that do the same."""

    languages: str
    """Separated by blanks; the examples are in the first."""
    names: str
    """`system` is a name alone; `os.execute` one with its owner, whatever stands before; `.execSync` that of anything."""
    does: Does
    example: str
    """Code in which it must be seen, with NAME for any of the names."""
    harmless: str
    """Code that looks like it, in which nothing must be seen."""
    at: int = 0
    """Which argument, counted from 0."""
    more: int = 0
    """Where a program's words go on, if not next to its name."""
    own: bool = False
    """It is done to what the method belongs to; with an argument it is another method."""


ROWS: Final = (
    # Starting programs.
    Row("perl", "system exec CORE.system CORE.exec CORE.GLOBAL.system IPC.Open3.open3 IPC.Open2.open2", Does.RUNS_WORDS, "NAME('rm', '-rf', 'x')", "print 'system(1)'; # exec('rm')"),
    Row("perl", "readpipe capture capturex systemx IPC.System.Simple.capture", Does.RUNS_LINE, "print NAME('id')", "s/readpipe('id')/x/"),
    Row("perl", "open3 open2 run3", Does.RUNS_WORDS, "use IPC::Open2; NAME('out', 'in', 'id')", "%h = (open2 => 1)", at=2),
    Row("perl ruby php", "syscall", Does.RUNS_LINE, "NAME($n, $path)", "print 'syscall'"),
    Row("ruby", "system exec spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn Process.exec Process.run Process.new", Does.RUNS_WORDS, "NAME 'rm', '-rf', 'x'", "puts 'exec'; system = 1"),
    Row("ruby", "IO.popen PTY.spawn Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen2 Open3.popen2e Open3.popen3 Open3.pipeline PTY.getpty PTY.open", Does.RUNS_WORDS, "NAME(['ls', '-l'])", "puts %q(IO.popen('ls'))"),
    Row("php", "system exec shell_exec passthru popen proc_open expect_popen ssh2_exec", Does.RUNS_LINE, 'NAME("id");', '$pdo->exec("create table t"); // exec("id")'),
    Row("php", "pcntl_exec", Does.RUNS_WORDS, 'NAME("/bin/ls", ["-l"]);', 'echo "pcntl_exec";'),
    Row("php", "mail mb_send_mail", Does.POSTS, 'NAME("a@example.org", "s", file_get_contents("x"));', 'echo "mail";', at=0),
    Row("lua", "os.execute io.popen", Does.RUNS_LINE, 'NAME("id")', 'print("os.execute(1)") -- io.popen("id")'),
    Row("lua", "vim.fn.system vim.fn.jobstart vim.fn.termopen vim.system vim.loop.spawn vim.uv.spawn uv.spawn luv.spawn posix.exec posix.execp unix.exec", Does.RUNS_WORDS, 'NAME("id")', 'print("vim.fn.system")'),
    Row("node", "child_process.exec child_process.execSync .execSync execSync", Does.RUNS_LINE, 'NAME("ls -l")', 'var m = /exec(.)/.exec("text")'),
    Row("node", "child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync .spawnSync .execFileSync .execFile spawnSync execFileSync execFile Deno.run Deno.Command Bun.spawn Bun.spawnSync", Does.RUNS_WORDS, 'NAME("ls", ["-l"], {stdio: "inherit"})', 'console.log("spawn")'),
    Row("node", "child_process.fork execa execaSync execaCommand shell.exec shelljs.exec $EXEC doShellScript .doShellScript java.lang.Runtime.getRuntime.exec runCommand runProgram", Does.RUNS_LINE, 'NAME("id")', '"a".exec; console.log("$EXEC")'),
    Row("awk", "system", Does.RUNS_LINE, 'BEGIN { NAME("id") }', '/system("id")/ { print "system" }'),
    Row("r", "system system2 shell shell.exec pipe processx.run sys.exec_wait sys.exec_internal callr.rcmd base.system", Does.RUNS_LINE, 'NAME("id")', "system.time(sum(1:10))"),
    Row("lisp", "system shell-command shell-command-to-string async-shell-command shell-command-on-region ext:shell asdf:run-shell-command uiop:run-program run-shell-command call-process-shell-command process-file-shell-command eshell-command process->string open-pipe open-input-pipe call-with-input-pipe run-program compile shell system/exit-code", Does.RUNS_LINE, '(NAME "id")', '(message "shell-command")'),
    Row("lisp", "call-process process-file", Does.RUNS_WORDS, '(NAME "ls" nil t nil "-l")', '(message "call-process")', more=4),
    Row("lisp", "call-process-region", Does.RUNS_WORDS, '(NAME 1 2 "ls" nil t nil "-l")', '(message "call-process-region")', at=2, more=6),
    Row("lisp", "system* make-process sb-ext:run-program ext:run-program execl execlp process-run process-lines subprocess* open-pipe* term ansi-term make-term vterm", Does.RUNS_WORDS, '(NAME "ls" "-l")', "; (system* 1)"),
    Row("lisp", "start-process start-process-shell-command start-file-process", Does.RUNS_WORDS, '(NAME "n" "b" "ls" "-l")', '(message "start-process")', at=2),
    Row("clojure", "sh shell clojure.java.shell/sh shell/sh babashka.process/shell p/shell p/process process babashka.process/process", Does.RUNS_WORDS, '(NAME "ls")', '(println "sh")'),
    Row("java", "Runtime.getRuntime.exec ProcessBuilder Process sys.process.Process ProcessBuilder.of", Does.RUNS_WORDS, 'NAME("ls")', 'jdbc.exec("x"); System.out.println("exec")'),
    Row("go", "exec.Command syscall.Exec os.StartProcess syscall.ForkExec unix.Exec", Does.RUNS_WORDS, 'func main() { NAME("ls", "-l").Run() }', 'func main() { db.Exec("x"); fmt.Println("exec.Command") }'),
    Row("go", "exec.CommandContext", Does.RUNS_WORDS, 'NAME(ctx, "ls", "-l")', '// exec.CommandContext(ctx, "ls")', at=1),
    Row("c", "system popen std.system wordexp libc.system _popen _wsystem", Does.RUNS_LINE, 'int main() { return NAME("ls"); }', 'int main() { puts("system"); } // system("ls")'),
    Row("c", "execl execlp execle execv execvp execve execvpe fexecve posix_spawn posix_spawnp Command.new process.Command.new Process.Start Process.run Process.new std.process.Command.new execCmd execShellCmd execProcess shell executeShell spawnShell", Does.RUNS_WORDS, 'NAME("ls", "ls", "-l", NULL);', 'puts("execlp");'),
    Row("elixir", "System.cmd", Does.RUNS_WORDS, 'NAME("ls", ["-l"])', 'IO.puts "System.cmd"'),
    Row("elixir", "System.shell :os.cmd os.cmd Port.open :erlang.open_port", Does.RUNS_LINE, "NAME(\"ls\"); :os.cmd('ls')", 'IO.puts ":os.cmd"'),
    Row("erlang", "os.cmd open_port erlang.open_port", Does.RUNS_LINE, 'NAME("ls").', 'io:format("os:cmd").'),
    Row("haskell", "system callCommand readCreateProcess spawnCommand shell System.Process.system System.Process.callCommand System.Cmd.system createProcess", Does.RUNS_LINE, 'main = NAME "ls"', 'main = putStrLn "callCommand"'),
    Row("haskell", "callProcess readProcess rawSystem readProcessWithExitCode spawnProcess proc executeFile", Does.RUNS_WORDS, 'main = NAME "ls" ["-l"]', 'main = putStrLn "proc"'),
    Row("ocaml", "Sys.command Unix.system Unix.open_process_in Unix.open_process Unix.open_process_out Unix.execv Unix.execvp Process.Start", Does.RUNS_LINE, 'NAME "ls"', 'print_string "Sys.command"'),
    Row("gnuplot", "system", Does.RUNS_LINE, 'NAME("ls")', 'print "system"'),
    Row("octave", "system shell_cmd unix dos popen popen2 exec unix_g host", Does.RUNS_LINE, 'NAME("ls")', 'disp("system")'),
    Row("m4", "syscmd esyscmd", Does.RUNS_LINE, "NAME(`ls')", "dnl syscmd(`ls')"),
    Row("vimscript", "system systemlist job_start term_start jobstart termopen libcall libcallnr", Does.RUNS_LINE, 'call NAME("ls")', 'echo "system"'),
    # Text that is run as code.
    Row("perl ruby", "eval", Does.EVALUATES, "NAME(pack('H*', $x))", "eval { die 1 }; print 'eval'"),
    Row("ruby", "Kernel.eval instance_eval class_eval module_eval .instance_eval .class_eval .module_eval binding.eval .eval RubyVM.InstructionSequence.compile TOPLEVEL_BINDING.eval", Does.EVALUATES, "NAME(x)", "obj.instance_eval { @x }; puts 'eval'"),
    Row("php", "eval assert create_function", Does.EVALUATES, "NAME($_GET['x']);", "assert($a === 1); echo 'eval';"),
    Row("lua", "load loadstring dostring", Does.EVALUATES, "NAME(x)()", 'print("load(x)")'),
    Row("node", "eval Function vm.runInNewContext vm.runInThisContext vm.runInContext vm.Script .constructor.constructor constructor.constructor globalThis.eval global.eval window.eval", Does.EVALUATES, "NAME(x)", 'console.log("eval"); evaluate(x)'),
    Row("r", "eval evalq parse_eval", Does.EVALUATES, "NAME(parse(text = x))", 'cat("eval"); eval(quote(1 + 1))'),
    Row("julia", "eval include_string Meta.parse Base.eval Core.eval", Does.EVALUATES, "eval(NAME(x))", 'println("eval")'),
    Row("lisp", "eval eval-string eval-region eval-buffer load-string read-from-string", Does.EVALUATES, "(NAME (read (current-buffer)))", '(message "eval") (eval-after-load "x" 1)'),
    Row("clojure", "eval load-string", Does.EVALUATES, "(NAME (read-string x))", '(println "eval")'),
    Row("java", "Eval.me Eval.x evaluate .evaluate GroovyShell.evaluate .eval ScriptEngine.eval", Does.EVALUATES, "NAME(x)", 'println("Eval.me"); retrieval(x)'),
    Row("elixir", "Code.eval_string Code.eval_quoted Code.compile_string", Does.EVALUATES, "NAME(x)", 'IO.puts "Code.eval_string"'),
    Row("erlang", "erl_eval.exprs erl_eval.expr", Does.EVALUATES, "NAME(X, [])", 'io:format("erl_eval:exprs")'),
    Row("octave gnuplot", "eval evalc evalin evaluate feval str2func", Does.EVALUATES, "NAME(x)", 'disp("eval")'),
    Row("vimscript", "eval execute luaeval py3eval pyxeval pyeval perleval rubyeval mzeval feedkeys", Does.EVALUATES, "call NAME(x)", 'echo "eval"'),
    # Code of files, URLs, and machine code.
    Row("perl ruby", "do load Kernel.load", Does.INCLUDES, "NAME '/tmp/x.pl'", "do { 1 } while 0; print 'load'"),
    Row("php", "include include_once require require_once", Does.INCLUDES, "NAME 'http://example.com/x.php';", "require 'vendor/autoload.php'; echo 'include';"),
    Row("lua", "dofile loadfile", Does.INCLUDES, 'NAME("/tmp/x.lua")', 'print("dofile")'),
    Row("r julia", "source devtools.source_url source_url include", Does.INCLUDES, 'NAME("http://example.com/x.R")', 'cat("source")'),
    Row("node", "import importScripts", Does.INCLUDES, 'NAME("https://example.com/x.js")', 'import("./x.js"); import fs from "fs"'),
    Row("lisp", "load load-file primitive-load", Does.INCLUDES, '(NAME "/tmp/x.el")', '(message "load")'),
    Row("gnuplot octave", "load run", Does.INCLUDES, 'NAME "< id"', 'print "load"; run_all'),
    Row("ruby php", "Fiddle.dlopen dl DL.dlopen Fiddle.Handle.new FFI.cdef FFI.load", Does.LOADS, "NAME('/tmp/x.so')", "puts 'dlopen'"),
    Row("perl", "DynaLoader.dl_load_file", Does.LOADS, "NAME('/tmp/x.so')", "print 'dl_load_file'"),
    Row("lisp", "dynamic-link load-foreign-library module-load", Does.LOADS, '(NAME "/tmp/x.so")', '(message "module-load")'),
    Row("node lua", "process.dlopen package.loadlib Deno.dlopen ffi.load", Does.LOADS, "NAME(module, '/tmp/x.node')", "console.log('process.dlopen')"),
    Row("c java r", "dlopen System.load System.loadLibrary dyn.load", Does.LOADS, 'NAME("/tmp/x.so", 1);', 'puts("dlopen");'),
    # Sockets.
    Row("perl", "IO.Socket.INET.new IO.Socket.INET6.new IO.Socket.SSL.new IO.Socket.IP.new IO.Socket.UNIX.new Net.Telnet.new socket IO.Socket.INET", Does.CONNECTS, "NAME('example.com:80')", "use IO::Handle; print 'IO::Socket::INET'"),
    Row("perl", "sockaddr_in pack_sockaddr_in inet_aton gethostbyname", Does.NAMES_HOST, "socket(S, 2, 1, 6); connect(S, NAME(80, inet_aton('example.com')))", "print 'inet_aton'"),
    Row("ruby", "TCPSocket.new TCPSocket.open UDPSocket.new Socket.tcp Socket.new TCPSocket.gethostbyname OpenSSL.SSL.SSLSocket.new UNIXSocket.new Addrinfo.tcp", Does.CONNECTS, "NAME('example.com', 80)", "puts 'TCPSocket.new'"),
    Row("php", "fsockopen pfsockopen stream_socket_client socket_create", Does.CONNECTS, 'NAME("example.com", 80);', 'echo "fsockopen";'),
    Row("php", "socket_connect", Does.NAMES_HOST, '$s = socket_create(2, 1, 6); NAME($s, "example.com", 80);', 'echo "socket_connect";'),
    Row("lua", "socket.tcp socket.connect socket.udp socket.tcp4 ngx.socket.tcp nmap.new_socket socket.try", Does.CONNECTS, 'local s = NAME("example.com", 80)', 'print("socket.tcp")'),
    Row("lua node ruby", ".connect", Does.NAMES_HOST, 'local t = require("socket").tcp(); NAME("example.com", 80)', 'database:connect("main", 80)'),
    Row("node", "net.connect net.createConnection net.Socket tls.connect dgram.createSocket Deno.connect Deno.connectTls Bun.connect java.net.Socket", Does.CONNECTS, 'NAME(80, "example.com")', 'db.connect(80, "example.com"); console.log("net")'),
    Row("r julia", "socketConnection make.socket connect Sockets.connect", Does.CONNECTS, 'NAME("example.com", 80)', 'cat("socketConnection")'),
    Row("lisp", "make-network-process open-network-stream socket tcp-connect usocket:socket-connect", Does.CONNECTS, '(NAME "n" "b" "example.com" 80)', '(message "socket")'),
    Row("clojure", "java.net.Socket. Socket.", Does.CONNECTS, '(NAME "example.com" 80)', '(println "Socket.")'),
    Row("java", "Socket java.net.Socket SocketChannel.open", Does.CONNECTS, 'new NAME("example.com", 80)', 'println("Socket")'),
    Row("go", "net.Dial net.DialTimeout tls.Dial net.DialTCP", Does.CONNECTS, 'NAME("tcp", "example.com:80")', 'fmt.Println("net.Dial")'),
    Row("c", "socket TcpStream.connect net.TcpStream.connect TcpClient newSocket", Does.CONNECTS, "int s = NAME(2, 1, 0);", 'puts("socket"); // socket(2, 1, 0)'),
    Row("c", "inet_addr inet_pton inet_aton", Does.NAMES_HOST, 'socket(2, 1, 0); a.s_addr = NAME("192.0.2.1");', 'puts("inet_addr");'),
    Row("elixir erlang", ":gen_tcp.connect gen_tcp.connect ssl.connect :ssl.connect", Does.CONNECTS, "NAME('example.com', 80, [])", 'IO.puts "gen_tcp"'),
    Row("haskell", "connectTo Network.Socket.socket", Does.CONNECTS, 'main = NAME "example.com" 80', 'main = putStrLn "connectTo"'),
    Row("ruby", "TCPServer.new TCPServer.open UDPServer Socket.tcp_server_loop UNIXServer.new TCPServer.new", Does.LISTENS, "NAME(9001)", "puts 'TCPServer'"),
    Row("perl php", "listen socket_listen socket_bind stream_socket_server bind", Does.LISTENS, "NAME(S, 5)", "print 'listen'; bless $self"),
    Row("lua node go java", "socket.bind net.createServer net.Listen ServerSocket Deno.listen Bun.listen socket.server", Does.LISTENS, 's = NAME("*", 9001)', 'print("socket.bind")'),
    Row("node", "http.createServer https.createServer Bun.serve Deno.serve", Does.SERVES, 'NAME(f).listen(8000)', 'console.log("http.createServer")'),
    Row("ruby go java r", "WEBrick.HTTPServer.new http.ListenAndServe HttpServer.create httpuv.runServer httpd", Does.SERVES, "NAME(:Port => 8000).start", "puts 'WEBrick'"),
    Row("c elixir erlang julia", "listen gen_tcp.listen :gen_tcp.listen TcpListener.bind", Does.LISTENS, "NAME(s, 5);", 'puts("listen");'),
    # URLs.
    Row("perl", "LWP.Simple.get LWP.Simple.getstore HTTP.Tiny.new.get .get getstore getprint mirror .mirror", Does.FETCHES, "use LWP::Simple; NAME('http://example.com/x', 'x')", "$h->get('key')"),
    Row("perl", ".post .put .post_form", Does.POSTS, "HTTP::Tiny->newNAME('http://example.com/', {content => 1})", "$log->post('x')"),
    Row("ruby", "Net.HTTP.get Net.HTTP.get_response Net.HTTP.start Net.HTTP.new URI.open OpenURI.open_uri HTTParty.get Faraday.get RestClient.get HTTP.get Net.FTP.new Down.download URI.parse URI", Does.FETCHES, "puts NAME(URI('http://example.com/x'))", "puts 'Net::HTTP.get'; params.get('x')"),
    Row("ruby", "Net.HTTP.post Net.HTTP.post_form HTTParty.post Faraday.post RestClient.post HTTP.post Net.HTTP.Post.new Net.HTTP.Put.new", Does.POSTS, "NAME(URI('http://example.com/'), 'x')", "puts 'Net::HTTP.post'"),
    Row("php", "curl_init get_headers simplexml_load_file", Does.FETCHES, 'NAME("http://example.com/x");', 'echo "curl_init";'),
    Row("lua", "http.request https.request socket.http.request ssl.https.request requests.get", Does.FETCHES, 'NAME("http://example.com/")', 'print("http.request")'),
    Row("node", "fetch http.get https.get http.request https.request axios axios.get got got.get superagent.get needle.get request request.get globalThis.fetch XMLHttpRequest.open .open WebSocket", Does.FETCHES, 'NAME("https://example.com/x")', 'map.get("key"); console.log("fetch")'),
    Row("node", "axios.post axios.put got.post superagent.post needle.post request.post navigator.sendBeacon", Does.POSTS, 'NAME("https://example.com/x", 1)', 'console.log("axios.post")'),
    Row("r julia", "download.file url httr.GET curl_download download Downloads.download HTTP.get getURL curl.curl", Does.FETCHES, 'NAME("http://example.com/x", "x")', 'cat("download.file")'),
    Row("r julia", "httr.POST httr.PUT HTTP.post HTTP.put", Does.POSTS, 'NAME("http://example.com/")', 'cat("httr::POST")'),
    Row("lisp", "url-retrieve url-retrieve-synchronously url-copy-file url-insert-file-contents http-get drakma:http-request dex:get request", Does.FETCHES, '(NAME "http://example.com/")', '(message "http://example.com/")'),
    Row("clojure", "slurp client/get http/get", Does.FETCHES, '(NAME "http://example.com/x")', '(println "slurp")'),
    Row("java", "URL java.net.URL URI.create Source.fromURL Jsoup.connect HttpRequest.newBuilder", Does.FETCHES, 'new NAME("http://example.com/x").text', 'println("http://example.com/")'),
    Row("go", "http.Get http.NewRequest http.NewRequestWithContext", Does.FETCHES, 'NAME("http://example.com/")', 'fmt.Println("http.Get")'),
    Row("go", "http.Post http.PostForm", Does.POSTS, 'NAME("http://example.com/", "t", b)', 'fmt.Println("http.Post")'),
    Row("c", "reqwest.get reqwest.blocking.get ureq.get .DownloadString .DownloadFile .GetStringAsync curl_easy_setopt newHttpClient", Does.FETCHES, 'NAME("http://example.com/")', 'println!("reqwest::get");'),
    Row("elixir erlang", "HTTPoison.get HTTPoison.get! Req.get Req.get! :httpc.request httpc.request", Does.FETCHES, 'NAME("http://example.com/")', 'IO.puts "HTTPoison.get"'),
    Row("elixir", "HTTPoison.post HTTPoison.post! Req.post Req.post!", Does.POSTS, 'NAME("http://example.com/", body: 1)', 'IO.puts "Req.post"'),
    Row("haskell", "simpleHttp httpLBS httpBS", Does.FETCHES, 'main = NAME "http://example.com/"', 'main = putStrLn "simpleHttp"'),
    Row("octave", "urlread urlwrite websave webread", Does.FETCHES, 'NAME("http://example.com/")', 'disp("urlread")'),
    # Files taken away.
    Row("perl", "unlink rmdir", Does.DELETES, "NAME 'a', 'b'", "print 'unlink'; # unlink 'a'"),
    Row("perl", "rmtree remove_tree File.Path.rmtree File.Path.remove_tree pathrmdir", Does.DELETES_TREE, "use File::Path; NAME('x')", "print 'rmtree'"),
    Row("ruby", "File.delete File.unlink Dir.rmdir Dir.delete Dir.unlink FileUtils.rm FileUtils.rm_f FileUtils.rmdir rm rm_f", Does.DELETES, "NAME('a')", "puts 'File.delete'; h.delete('a')"),
    Row("ruby", "FileUtils.rm_rf FileUtils.rm_r FileUtils.remove_dir FileUtils.remove_entry FileUtils.rmtree FileUtils.remove_entry_secure FileUtils.remove_tree rm_rf rm_r", Does.DELETES_TREE, "NAME('x')", "puts 'rm_rf'"),
    Row("php", "unlink rmdir", Does.DELETES, "NAME('a');", "echo 'unlink';"),
    Row("lua", "os.remove lfs.rmdir posix.unlink vim.fn.delete", Does.DELETES, 'NAME("a")', 'table.remove(t, 1)'),
    Row("node", "fs.unlink fs.unlinkSync .unlinkSync fs.promises.unlink unlinkSync Bun.unlink promises.unlink fs.unlink", Does.DELETES, 'NAME("a")', 'console.log("fs.unlinkSync")'),
    Row("node", "fs.rm fs.rmSync fs.rmdir fs.rmdirSync .rmSync .rmdirSync fs.promises.rm rmSync rimraf rimraf.sync .removeSync .emptyDirSync fse.remove fs.remove Deno.remove Deno.removeSync promises.rm shelljs.rm fs.emptyDir del", Does.DELETES_TREE, 'NAME("x", {recursive: true})', 'list.remove("a"); console.log("fs.rm")'),
    Row("r", "unlink file.remove fs.file_delete fs.dir_delete", Does.DELETES_TREE, 'NAME("x", recursive = TRUE)', 'rm(x); cat("unlink")'),
    Row("julia", "rm Base.rm Filesystem.rm", Does.DELETES_TREE, 'NAME("x", recursive=true)', 'println("rm")'),
    Row("lisp", "delete-file uiop:delete-file-if-exists unlink", Does.DELETES, '(NAME "a")', '(delete "a" list)'),
    Row("lisp", "delete-directory uiop:delete-directory-tree delete-file-recursively delete-directory/files", Does.DELETES_TREE, '(NAME "x" t)', '(message "delete-directory")'),
    Row("clojure", "io/delete-file fs/delete-tree clojure.java.io/delete-file fs/delete babashka.fs/delete-tree", Does.DELETES_TREE, '(NAME "x")', '(println "delete-file")'),
    Row("java", "Files.delete Files.deleteIfExists", Does.DELETES, 'NAME(Path.of("a"))', 'map.delete("a")'),
    Row("java", "FileUtils.deleteDirectory FileUtils.forceDelete FileUtils.deleteQuietly", Does.DELETES_TREE, 'NAME("x")', 'println("deleteDirectory")'),
    Row("go", "os.Remove syscall.Unlink", Does.DELETES, 'NAME("a")', 'fmt.Println("os.Remove")'),
    Row("go", "os.RemoveAll", Does.DELETES_TREE, 'NAME("x")', 'fmt.Println("os.RemoveAll")'),
    Row("c", "unlink remove rmdir unlinkat fs.remove_file remove_file fs.remove_dir File.Delete removeFile", Does.DELETES, 'NAME("a");', 'puts("unlink"); v.remove(1);'),
    Row("c", "fs.remove_dir_all std.filesystem.remove_all remove_all remove_dir_all Directory.Delete removeDir rmdirRecurse", Does.DELETES_TREE, 'NAME("x");', 'puts("remove_all");'),
    Row("elixir erlang", "File.rm File.rm! File.rmdir File.rmdir! :file.delete file.delete file.del_dir", Does.DELETES, 'NAME("a")', 'Map.delete(m, "a")'),
    Row("elixir erlang", "File.rm_rf File.rm_rf! file.del_dir_r :file.del_dir_r", Does.DELETES_TREE, 'NAME("x")', 'IO.puts "File.rm_rf"'),
    Row("haskell", "removeFile removeDirectory", Does.DELETES, 'main = NAME "a"', 'main = putStrLn "removeFile"'),
    Row("haskell", "removeDirectoryRecursive removePathForcibly removeDirectoryContents", Does.DELETES_TREE, 'main = NAME "x"', 'main = putStrLn "x"'),
    Row("ocaml", "Sys.remove Unix.unlink Unix.rmdir File.Delete Directory.Delete", Does.DELETES, 'NAME "a"', 'print_string "Sys.remove"'),
    Row("octave", "delete unlink rmdir confirm_recursive_rmdir", Does.DELETES_TREE, 'NAME("x", "s")', 'disp("rmdir")'),
    Row("vimscript", "delete", Does.DELETES_TREE, 'call NAME("x", "rf")', 'echo "delete"'),
    Row("java", ".delete .deleteOnExit .deleteIfExists", Does.DELETES, 'new File("a")NAME()', 'map.delete("a"); list.delete()', own=True),
    Row("java ruby", ".deleteDir .deleteRecursively .rmtree .remove_dir", Does.DELETES_TREE, 'File("x")NAME()', 'println("deleteDir"); x.deleteDir()', own=True),
    # Files looked for, which something may then be done to.
    Row("perl php", "glob bsd_glob", Does.LISTS, "for my $f (NAME('/x/*')) { unlink $f }", "print NAME('/x/*')"),
    Row("ruby", "Dir.glob Dir", Does.LISTS, "NAME('/x/*').each { |f| File.delete(f) }", "puts NAME('/x/*')"),
    Row("node go r julia elixir", "glob.sync globSync fs.globSync filepath.Glob Sys.glob glob Path.wildcard", Does.LISTS, "NAME('/x/*').forEach(f => fs.unlinkSync(f))", "console.log(NAME('/x/*'))"),
    Row("php ruby", "scandir Dir.children Dir.entries Dir.each_child Dir.foreach Dir.new", Does.LISTS_DIRECTORY, "foreach (NAME('/x') as $f) { unlink($f); }", "print_r(NAME('/x'));"),
    Row("node go r", "fs.readdirSync fs.readdir readdirSync fs.promises.readdir os.ReadDir ioutil.ReadDir list.files dir", Does.LISTS_DIRECTORY, "NAME('/x').forEach(f => fs.unlinkSync(f))", "console.log(NAME('/x'))"),
    # Files written.
    Row("perl", "truncate", Does.OVERWRITES, "NAME('a', 0)", "print 'truncate'"),
    Row("ruby", "File.write IO.write IO.binwrite File.binwrite FileUtils.touch File.truncate FileUtils.ln_s File.symlink FileUtils.ln_sf", Does.OVERWRITES, "NAME('a', 'x')", "puts 'File.write'"),
    Row("php", "file_put_contents symlink link touch", Does.OVERWRITES, "NAME('a', 'x');", "echo 'file_put_contents';"),
    Row("lua", "io.output vim.fn.writefile", Does.OVERWRITES, 'NAME("a")', 'io.write("a")'),
    Row("node", "fs.writeFile fs.writeFileSync fs.createWriteStream fs.promises.writeFile .writeFileSync .createWriteStream writeFileSync fs.truncateSync Deno.writeTextFile Deno.writeTextFileSync Deno.writeFile Bun.write", Does.OVERWRITES, 'NAME("a", "x")', 'process.stdout.write("a")'),
    Row("node", "fs.appendFile fs.appendFileSync .appendFileSync appendFileSync fs.promises.appendFile fs.mkdirSync", Does.WRITES, 'NAME("a", "x")', 'console.log("appendFile")'),
    Row("node perl ruby php c", "fs.chmod fs.chmodSync .chmodSync fs.chownSync File.chmod FileUtils.chmod_R FileUtils.chown_R FileUtils.chmod", Does.WRITES, 'NAME("a", 511)', 'console.log("chmod")'),
    Row("perl", "chmod", Does.WRITES, "NAME 0777, 'a'", "print 'chmod'", at=1),
    Row("perl", "chown", Does.WRITES, "NAME 0, 0, 'a'", "print 'chown'", at=2),
    Row("php c go", "chmod chown lchown os.Chmod os.Chown chgrp", Does.WRITES, "NAME('a', 0777);", "echo 'chmod';"),
    Row("r", "writeLines sink write.csv write.table saveRDS", Does.OVERWRITES, 'NAME("x", "a")', 'cat("writeLines")', at=1),
    Row("julia", "write", Does.OVERWRITES, 'NAME("a", "x")', 'println("write")'),
    Row("lisp", "append-to-file write-region", Does.WRITES, '(NAME "x" nil "a")', '(message "write-region")', at=2),
    Row("lisp", "open-output-file with-output-to-file write-file call-with-output-file", Does.OVERWRITES, '(NAME "a")', '(message "a")'),
    Row("clojure", "spit", Does.OVERWRITES, '(NAME "a" "x")', '(println "spit")'),
    Row("java", "Files.write Files.writeString FileWriter FileOutputStream PrintWriter", Does.OVERWRITES, 'new NAME("a")', 'println("FileWriter")'),
    Row("go", "os.WriteFile ioutil.WriteFile os.Create os.Truncate", Does.OVERWRITES, 'NAME("a", b, 0644)', 'fmt.Println("os.Create")'),
    Row("c", "creat truncate fs.write std.fs.write File.create File.WriteAllText writeFile fs.File.create", Does.OVERWRITES, 'NAME("a", 0644);', 'puts("creat");'),
    Row("elixir erlang", "File.write File.write! :file.write_file file.write_file", Does.OVERWRITES, 'NAME("a", "x")', 'IO.write "a"'),
    Row("haskell", "writeFile", Does.OVERWRITES, 'main = NAME "a" "x"', 'main = putStrLn "writeFile"'),
    Row("haskell", "appendFile", Does.WRITES, 'main = NAME "a" "x"', 'main = putStrLn "appendFile"'),
    Row("vimscript", "writefile", Does.OVERWRITES, 'call NAME(["x"], "a")', 'echo "writefile"', at=1),
    Row("node ruby", "fs.cp fs.cpSync .cpSync cpSync fs.copyFile fs.copyFileSync .copyFileSync copyFileSync fs.promises.cp fs.promises.copyFile fs.symlinkSync fs.linkSync FileUtils.cp FileUtils.cp_r FileUtils.copy FileUtils.copy_file FileUtils.copy_entry FileUtils.install", Does.COPIES, "NAME('a', 'b')", "console.log('cpSync')"),
    Row("perl", "copy cp File.Copy.copy File.Copy.cp symlink link", Does.COPIES, "NAME 'a', 'b'", "print 'copy'"),
    Row("perl php c", "rename File.Copy.move", Does.MOVES, "NAME 'a', 'b'", "print 'rename'"),
    Row("lisp", "rename-file copy-file", Does.MOVES, '(NAME "a" "b")', '(message "rename-file")'),
    Row("ruby lua node go java r", "File.rename FileUtils.mv FileUtils.move os.rename fs.rename fs.renameSync .renameSync os.Rename Files.move file.rename mv", Does.MOVES, "NAME('a', 'b')", "puts 'mv'"),
    # Files read.
    Row("perl", "read_file slurp path.slurp File.Slurp.read_file", Does.READS, "print NAME('a')", "print 'read_file'"),
    Row("ruby", "File.read IO.read File.readlines IO.readlines File.foreach IO.binread File.binread", Does.READS, "puts NAME('a')", "puts 'File.read'; gets.read"),
    Row("php", "file_get_contents show_source highlight_file fpassthru parse_ini_file", Does.READS, "echo NAME('a');", "echo 'file_get_contents';"),
    Row("php", "readfile file copy", Does.READS, "NAME('a');", "echo 'readfile';"),
    Row("lua", "io.lines io.input", Does.READS, 'for l in NAME("a") do print(l) end', 'io.read("a")'),
    Row("node", "fs.readFile fs.readFileSync fs.createReadStream .readFileSync .createReadStream fs.promises.readFile readFileSync Deno.readTextFile Deno.readTextFileSync Deno.readFile Bun.file fs.openAsBlob", Does.READS, 'NAME("a")', 'reader.read("a")'),
    Row("r", "readLines readRDS read.csv read.table scan readChar readr.read_file", Does.READS, 'NAME("a")', 'readline("a")'),
    Row("julia", "readlines read eachline", Does.READS, 'NAME("a")', 'println("read")'),
    Row("lisp", "insert-file-contents find-file find-file-noselect insert-file open-input-file view-file", Does.READS, '(NAME "a")', '(message "a")'),
    Row("clojure", "slurp", Does.READS, '(NAME "a")', '(println "slurp")'),
    Row("java", "Files.readString Files.readAllLines Files.readAllBytes FileReader FileInputStream Source.fromFile", Does.READS, 'NAME(Path.of("a"))', 'println("FileReader")'),
    Row("go", "os.ReadFile os.Open ioutil.ReadFile", Does.READS, 'NAME("a")', 'fmt.Println("os.Open")'),
    Row("c", "fs.read_to_string std.fs.read_to_string File.ReadAllText readFile", Does.READS, 'NAME("a");', 'println!("a");'),
    Row("elixir erlang", "File.read File.read! File.stream! :file.read_file file.read_file", Does.READS, 'NAME("a")', 'IO.read(:stdio, :line)'),
    Row("haskell", "readFile", Does.READS, 'main = NAME "a" >>= putStr', 'main = putStrLn "readFile"'),
    Row("vimscript", "readfile", Does.READS, 'echo NAME("a")', 'echo "readfile"'),
    Row("perl ruby", "open sysopen File.open File.new IO.open IO.sysopen Kernel.open", Does.OPENS, "NAME(F, '>', 'a')", "print 'open'; close(F)"),
    Row("php c lua octave ocaml", "fopen freopen io.open open_out open_in", Does.OPENS, "NAME('a', 'w');", "echo 'fopen';"),
    Row("r", "file gzfile", Does.OPENS, 'NAME("a", "w")', 'cat("file")'),
    Row("perl", "chdir POSIX.chdir", Does.ENTERS, "NAME 'd'; unlink 'a'", "print 'chdir'"),
    Row("ruby", "Dir.chdir FileUtils.cd FileUtils.chdir", Does.ENTERS, "NAME('d') { File.delete('a') }", "puts 'Dir.chdir'"),
    Row("php c", "chdir", Does.ENTERS, "NAME('d'); unlink('a');", "echo 'chdir';"),
    Row("node", "process.chdir Deno.chdir", Does.ENTERS, 'NAME("d"); fs.unlinkSync("a")', 'console.log("process.chdir")'),
    Row("lua", "lfs.chdir posix.chdir vim.fn.chdir", Does.ENTERS, 'NAME("d"); os.remove("a")', 'print("lfs.chdir")'),
    Row("go", "os.Chdir syscall.Chdir", Does.ENTERS, 'os.Chdir("d"); os.Remove("a")', 'fmt.Println("os.Chdir")'),
    Row("elixir", "File.cd File.cd!", Does.ENTERS, 'NAME("d"); File.rm("a")', 'IO.puts "File.cd"'),
    Row("ocaml", "Sys.chdir Unix.chdir", Does.ENTERS, 'NAME "d"; Sys.remove "a"', 'print_string "Sys.chdir"'),
    Row("haskell", "setCurrentDirectory", Does.ENTERS, 'main = NAME "d" >> removeFile "a"', 'main = putStrLn "cd"'),
    # Who one is.
    Row("perl php c", "POSIX.setuid POSIX.setgid setuid setgid seteuid setegid setreuid setresuid posix_setuid posix_setgid posix_seteuid posix_setegid", Does.ESCALATES, "NAME(0)", "print 'setuid'"),
    Row("ruby node", "Process.setuid Process.Sys.setuid Process.UID.change_privilege Process.Sys.setgid process.setuid process.setgid process.seteuid Process.initgroups", Does.ESCALATES, "NAME(0)", "puts 'setuid'"),
    Row("lua go", "posix.setuid syscall.Setuid syscall.Setgid posix.setpid syscall.Setreuid", Does.ESCALATES, 'NAME(0)', 'print("setuid")'),
    # What hides code, and what calls by name.
    Row("perl", "pack unpack decode_base64 MIME.Base64.decode_base64 decode uncompress inflate", Does.DECODES, "eval(NAME('x'))", "print pack('B*', $_)"),
    Row("ruby", "Base64.decode64 Base64.strict_decode64 .unpack .unpack1 .pack Zlib.inflate Marshal.load", Does.DECODES, "eval(NAME('x'))", "puts ['a'].pack('A')"),
    Row("php", "base64_decode gzinflate gzuncompress str_rot13 hex2bin convert_uudecode gzdecode unserialize pack strrev chr", Does.DECODES, "eval(NAME('x'));", "echo base64_decode('x');"),
    Row("node", "atob Buffer.from .fromCharCode unescape decodeURIComponent zlib.inflateSync zlib.gunzipSync", Does.DECODES, "eval(NAME('x'))", "console.log(atob('x'))"),
    Row("lua", "string.char mime.unb64 .char base64.decode .gsub", Does.DECODES, "load(NAME(112))()", "print(string.char(112))"),
    Row("r julia lisp java elixir clojure go", "base64decode base64enc.base64decode base64-decode-string Base64.decode64 Base64.decode64! .decodeBase64 .decode base64.StdEncoding.DecodeString rawToChar", Does.DECODES, "eval(parse(text = rawToChar(NAME('x'))))", "cat(base64decode('x'))"),
    Row("php", "call_user_func call_user_func_array array_map forward_static_call register_shutdown_function array_walk array_filter usort ob_start is_callable_call", Does.CALLS, 'NAME("system", "id");', 'array_map("trim", $a);'),
    Row("ruby", "send __send__ public_send .send .__send__ .public_send method .method .instance_method Kernel.send Kernel.public_send Kernel.method Object.send", Does.CALLS, "NAME(:system, 'id')", "obj.send(:name, 'id')"),
    Row("lisp clojure", "funcall apply", Does.CALLS, "(NAME 'shell-command \"id\")", "(funcall 'message \"id\")"),
    Row("vimscript elixir erlang", "call apply", Does.CALLS, 'echo NAME("system", ["id"])', 'echo call("len", ["id"])'),
)  # fmt: skip


EFFECTS: Final = {
    Does.RUNS_LINE: Effect.EXECUTES,
    Does.RUNS_WORDS: Effect.EXECUTES,
    Does.EVALUATES: Effect.EXECUTES,
    Does.INCLUDES: Effect.EXECUTES,
    Does.LOADS: Effect.EXECUTES,
    Does.CONNECTS: Effect.CONNECTS,
    Does.NAMES_HOST: Effect.CONNECTS,
    Does.LISTENS: Effect.LISTENS,
    Does.SERVES: Effect.LISTENS,
    Does.FETCHES: Effect.CONNECTS,
    Does.POSTS: Effect.CONNECTS,
    Does.DELETES: Effect.DELETES,
    Does.DELETES_TREE: Effect.DELETES,
    Does.OVERWRITES: Effect.OVERWRITES,
    Does.WRITES: Effect.WRITES,
    Does.MOVES: Effect.OVERWRITES,
    Does.COPIES: Effect.OVERWRITES,
    Does.READS: Effect.READS,
    Does.OPENS: Effect.OVERWRITES,
    Does.ESCALATES: Effect.ESCALATES,
    Does.DECODES: Effect.EXECUTES,
    Does.CALLS: Effect.EXECUTES,
    Does.ENTERS: Effect.DELETES,
    Does.LISTS: Effect.DELETES,
    Does.LISTS_DIRECTORY: Effect.DELETES,
}
"""What must be noted in the example of a row."""

_WIDELY_KNOWN: Final = frozenset("perl ruby php lua node go java c".split())
"""Whose names are looked for in a language that nobody knows."""


class Names(NamedTuple):
    """The rows of one language, by name."""

    rows: dict[str, tuple[Row, ...]]
    lasts: frozenset[str]
    """The last parts of all names: a name that ends in none of these is in no row."""
    caseless: bool

    def find(self, name: str) -> tuple[Row, ...]:
        """What calling the name does."""
        if self.caseless:
            name = name.lower()
        owner, _, last = name.rpartition(".")
        if last not in self.lasts:
            return ()
        if found := self.rows.get(name):
            return found
        if not owner and not name.startswith("."):
            return ()
        parts = name.split(".")[-4:]
        for start in range(len(parts) - 1):
            if found := self.rows.get(".".join(parts[start:])):
                return found
        return self.rows.get("." + last, ())


@cache
def names_of(language: Language) -> Names:
    """The names that mean something in the language; for one that nobody knows, those of all."""
    name = called(language)
    rows: dict[str, tuple[Row, ...]] = {}
    for row in ROWS:
        if name in row.languages.split() or (name == "other" and row.languages.split()[0] in _WIDELY_KNOWN):
            for each in row.names.split():
                key = each.lower() if language.caseless else each
                if row not in rows.get(key, ()) and not (name == "other" and key in rows):
                    rows[key] = (*rows.get(key, ()), row)
    return Names(rows, frozenset(key.rpartition(".")[2] for key in rows), language.caseless)
