"""The functions of Python that reach out of the program, by their full names: tables, one kind of thing a row.

A function that is in no table does nothing as far as the reader is concerned. What the arguments come to, and where
they come from, is found out elsewhere.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar

from guardhouse.model import Effect

OWNER: Final = -1
"""Stands for the object whose method is called."""


class Start(NamedTuple):
    """Starts a process."""

    names: str
    form: str
    """`line`: a command line, or a list of words; `words`: each argument is a word; `program`: a file, then the words
    with the name it is called by; `listed`: a file, then a list of such words."""
    at: int = 0
    keyword: str = ""


class File(NamedTuple):
    """Does something to a file."""

    names: str
    effect: Effect
    at: int
    keyword: str = ""
    recursive: bool = False


class Reach(NamedTuple):
    """Goes to another machine."""

    names: str
    form: str
    """`url`; `host`, with a port after it; `pair`, a host and a port in a tuple."""
    at: int = 0
    keyword: str = ""
    body: int = 99
    """The argument that is sent along, if it is given."""
    keeps: str = ""
    """What the result is, for its methods: an answer, if empty."""
    usual: str = ""
    """The address that it has if none is given."""


class Send(NamedTuple):
    """Sends something over a connection that is there already."""

    names: str
    at: int


class Service(NamedTuple):
    """Does something to what is kept in a cloud."""

    starts: str
    """What the names of the methods begin with."""
    effect: Effect
    at: int = 99
    keyword: str = ""
    """The argument that is sent."""
    reads: bool = False
    """Whether that is the name of a file."""
    what: str = ""


STARTS: Final = (
    Start("os.system os.popen os.popen2 os.popen3 os.popen4 os.startfile", "line", keyword="command"),
    Start("subprocess.run subprocess.call subprocess.check_call subprocess.check_output", "line", keyword="args"),
    Start("subprocess.Popen", "line", keyword="args"),
    Start("subprocess.getoutput subprocess.getstatusoutput", "line", keyword="cmd"),
    Start("commands.getoutput commands.getstatusoutput popen2.popen2 popen2.popen3 platform.popen", "line"),
    Start("asyncio.create_subprocess_shell subprocess.create_subprocess_shell", "line", keyword="cmd"),
    Start("asyncio.create_subprocess_exec subprocess.create_subprocess_exec", "words"),
    Start("anyio.run_process anyio.open_process trio.run_process", "line"),
    Start("pty.spawn", "line"),
    Start("pexpect.spawn pexpect.run pexpect.runu pexpect.spawnu invoke.run", "line"),
    Start("os.execl os.execlp os.execle os.execlpe", "program"),
    Start("os.execv os.execvp os.execve os.execvpe os.posix_spawn os.posix_spawnp", "listed"),
    Start("os.spawnl os.spawnlp os.spawnle os.spawnlpe", "program", at=1),
    Start("os.spawnv os.spawnvp os.spawnve os.spawnvpe", "listed", at=1),
    Start("distutils.spawn.spawn", "line"),
)
WITH_SURROUNDINGS: Final = frozenset({"os.execle", "os.execlpe", "os.spawnle", "os.spawnlpe"})
"""Those whose last argument is the environment."""
REMOTE_STARTS: Final = frozenset({"paramiko.SSHClient.exec_command", "fabric.Connection.run", "fabric.Connection.sudo"})

EVALUATORS: Final = frozenset(
    """
    builtins.eval builtins.exec builtins.execfile timeit.timeit timeit.repeat cProfile.run profile.run pdb.run
    code.InteractiveInterpreter.runsource code.InteractiveInterpreter.runcode code.InteractiveConsole.push
    code.InteractiveConsole.runsource code.InteractiveConsole.runcode types.FunctionType
    """.split()
)
"""Run the code that is their first argument."""
UNPICKLERS: Final = frozenset(
    """
    pickle.loads pickle.load marshal.loads marshal.load dill.loads dill.load cloudpickle.loads cloudpickle.load
    """.split()
)
CONSOLES: Final = frozenset("code.interact code.InteractiveConsole.interact IPython.embed".split())
IMPORTERS: Final = frozenset(
    """
    builtins.__import__ importlib.import_module importlib.__import__ runpy.run_module runpy._run_module_as_main
    pkgutil.resolve_name importlib.reload imp.load_module
    """.split()
)
"""Load the module that one of their arguments names."""
OWN_PACKAGE: Final = "guardhouse"
"""Code that loads the guard's own package can do all that the guard's commands do."""
SCRIPT_RUNNERS: Final = frozenset("runpy.run_path builtins.execfile imp.load_source".split())
LIBRARY_LOADERS: Final = frozenset("ctypes.CDLL ctypes.PyDLL ctypes.cdll.LoadLibrary ctypes.WinDLL".split())
ESCALATORS: Final = frozenset(
    """
    os.setuid os.setgid os.seteuid os.setegid os.setreuid os.setregid os.setresuid os.setresgid os.setgroups
    os.initgroups
    """.split()
)
MAKERS: Final = frozenset(
    """
    socket.socket requests.Session requests.session httpx.Client httpx.AsyncClient aiohttp.ClientSession
    flask.Flask quart.Quart sanic.Sanic bottle.Bottle
    paramiko.SSHClient code.InteractiveInterpreter code.InteractiveConsole urllib3.PoolManager
    urllib.request.build_opener
    """.split()
)
"""Classes whose objects have methods in these tables; making one does nothing yet."""

FILES: Final = (
    File("os.remove os.unlink os.rmdir os.removedirs", Effect.DELETES, 0, "path"),
    File("shutil.rmtree", Effect.DELETES, 0, "path", recursive=True),
    File("send2trash.send2trash", Effect.DELETES, 0),
    File("pathlib.Path.unlink pathlib.Path.rmdir", Effect.DELETES, OWNER),
    File("os.rename os.renames os.replace shutil.move", Effect.DELETES, 0, "src"),
    File("os.rename os.renames os.replace shutil.move", Effect.WRITES, 1, "dst", recursive=True),
    File("pathlib.Path.rename pathlib.Path.replace", Effect.DELETES, OWNER),
    File("pathlib.Path.rename pathlib.Path.replace", Effect.WRITES, 0, "target", recursive=True),
    File("pathlib.Path.write_text pathlib.Path.write_bytes", Effect.OVERWRITES, OWNER),
    File("pathlib.Path.touch pathlib.Path.mkdir pathlib.Path.chmod", Effect.WRITES, OWNER),
    File("pathlib.Path.symlink_to pathlib.Path.hardlink_to pathlib.Path.link_to", Effect.WRITES, OWNER, recursive=True),
    File("pathlib.Path.read_text pathlib.Path.read_bytes", Effect.READS, OWNER),
    File("shutil.copy shutil.copy2 shutil.copyfile shutil.copytree", Effect.READS, 0, "src"),
    File("shutil.copy shutil.copy2 shutil.copyfile", Effect.OVERWRITES, 1, "dst"),
    File("shutil.copytree", Effect.OVERWRITES, 1, "dst", recursive=True),
    File("shutil.copymode shutil.copystat", Effect.WRITES, 1, "dst"),
    File("os.symlink os.link", Effect.READS, 0, "src"),
    File("os.symlink os.link", Effect.WRITES, 1, "dst", recursive=True),
    File("os.chmod os.lchmod os.chown os.lchown shutil.chown", Effect.WRITES, 0, "path"),
    File("os.mkdir os.makedirs os.mkfifo os.mknod os.utime", Effect.WRITES, 0, "path"),
    File("os.truncate", Effect.OVERWRITES, 0, "path"),
    File("zipfile.ZipFile.extractall tarfile.TarFile.extractall", Effect.WRITES, 0, "path", recursive=True),
    File("zipfile.ZipFile.write tarfile.TarFile.add", Effect.READS, 0, "name"),
    File("shutil.unpack_archive", Effect.WRITES, 1, "extract_dir", recursive=True),
    File("shutil.make_archive", Effect.READS, 2, "root_dir", recursive=True),
    File("shutil.make_archive", Effect.WRITES, 0, "base_name"),
    File("urllib.request.urlretrieve", Effect.OVERWRITES, 1, "filename"),
    File("linecache.getlines linecache.getline numpy.loadtxt pandas.read_csv pandas.read_json", Effect.READS, 0),
)
OPENERS: Final = {
    "builtins.open": "file",
    "codecs.open": "file",
    "io.open": "file",
    "builtins.file": "file",
    "os.fdopen": "file",
    "gzip.open": "file",
    "bz2.open": "file",
    "lzma.open": "file",
    "aiofiles.open": "file",
    "pathlib.Path.open": "file",
    "tarfile.open": "tarfile.TarFile",
    "tarfile.TarFile": "tarfile.TarFile",
    "zipfile.ZipFile": "zipfile.ZipFile",
}
"""Those that open a file in a mode, and what their result is."""

_VERBS = "get head options delete"
_BODY_VERBS = "post put patch"


def _methods(clients: str, verbs: str) -> str:
    return " ".join(f"{client}.{verb}" for client in clients.split() for verb in verbs.split())


_WEB = "requests requests.Session requests.session httpx httpx.Client httpx.AsyncClient aiohttp.ClientSession"
REACHES: Final = (
    Reach("urllib.request.urlretrieve", "url", 0, "url", body=3),
    Reach("urllib.request.urlopen", "url", 0, "url", body=1),
    Reach("urllib.request.build_opener.open", "url", 0, "fullurl", body=1),
    Reach("wget.download", "url"),
    Reach(_methods(_WEB, _VERBS), "url", 0, "url"),
    Reach(_methods(_WEB, _BODY_VERBS), "url", 0, "url", body=1),
    Reach(_methods(_WEB, "request stream ws_connect") + " aiohttp.request", "url", 1, "url"),
    Reach("urllib3.PoolManager.request urllib3.request", "url", 1, "url"),
    Reach("websockets.connect websocket.create_connection websockets.sync.client.connect", "url", keeps="websocket"),
    Reach("http.client.HTTPConnection http.client.HTTPSConnection", "host", 0, "host", keeps="http.connection"),
    Reach("ftplib.FTP ftplib.FTP_TLS", "host", 0, "host", keeps="ftplib.FTP"),
    Reach("smtplib.SMTP smtplib.SMTP_SSL", "host", 0, "host", keeps="smtplib.SMTP"),
    Reach("telnetlib.Telnet", "host", 0, "host", keeps="socket.socket"),
    Reach("paramiko.SSHClient.connect", "host", 0, "hostname", keeps="paramiko.SSHClient"),
    Reach("paramiko.Transport", "pair", keeps="paramiko.Transport"),
    Reach("fabric.Connection", "host", 0, "host", keeps="fabric.Connection"),
    Reach("asyncio.open_connection", "host", 0, "host"),
    Reach("socket.socket.connect socket.socket.connect_ex", "pair", keeps="socket.socket"),
    Reach("socket.create_connection", "pair", 0, "address", keeps="socket.socket"),
    Reach("xmlrpc.client.ServerProxy", "url", 0, "uri"),
)
LOOKUPS: Final = (Reach("socket.gethostbyname socket.gethostbyname_ex socket.getaddrinfo", "host"),)
SENDS: Final = (
    Send("socket.socket.send socket.socket.sendall socket.socket.sendfile websocket.send", 0),
    Send("smtplib.SMTP.send_message", 0),
    Send("smtplib.SMTP.sendmail", 2),
    Send("http.connection.request", 2),
    Send("http.connection.send", 0),
    Send("ftplib.FTP.storbinary ftplib.FTP.storlines", 1),
)
LISTENERS: Final = (
    Reach("socket.socket.bind socket.create_server", "pair"),
    Reach("socketserver.TCPServer socketserver.UDPServer socketserver.ThreadingTCPServer", "pair"),
    Reach("http.server.HTTPServer http.server.ThreadingHTTPServer", "pair"),
    Reach("asyncio.start_server", "host", 1, "host"),
    Reach("xmlrpc.server.SimpleXMLRPCServer", "pair"),
    Reach("wsgiref.simple_server.make_server", "host"),
    Reach("flask.Flask.run quart.Quart.run", "host", 0, "host", usual="127.0.0.1:5000"),
    Reach("sanic.Sanic.run", "host", 0, "host", usual="127.0.0.1:8000"),
    Reach("uvicorn.run hypercorn.run granian.run", "host", 99, "host", usual="127.0.0.1:8000"),
    Reach("bottle.run bottle.Bottle.run", "host", 99, "host", usual="127.0.0.1:8080"),
    Reach("aiohttp.web.run_app waitress.serve", "host", 99, "host", usual="0.0.0.0:8080"),
)
CLOUD_CLIENT: Final = "boto3"
CLOUD: Final = (  # the first row that fits counts
    Service("upload_fileobj", Effect.SENDS, 0, "Fileobj"),
    Service("upload_file", Effect.SENDS, 0, "Filename", reads=True),
    Service("put_bucket_ put_object_acl put_public_access_block", Effect.MUTATES, what="who may read a bucket changes"),
    Service("attach_ create_access_key create_login_profile put_user_", Effect.MUTATES, what="an account gets rights"),
    Service("delete terminate purge destroy deregister remove_ empty_", Effect.MUTATES, what="it is deleted for good"),
    Service("stop reboot disable_", Effect.MUTATES, what="a service is stopped"),
    Service("put_object", Effect.SENDS, 99, "Body"),
)
BODY_KEYWORDS: Final = ("data", "json", "files", "content", "body", "fields")

MODULES: Final = {
    "posix": "os",
    "nt": "os",
    "__builtin__": "builtins",
    "__builtins__": "builtins",
    "urllib2": "urllib.request",
    "subprocess32": "subprocess",
    "_posixsubprocess": "subprocess",
    "cPickle": "pickle",
    "_pickle": "pickle",
    "_socket": "socket",
    "httplib": "http.client",
    "SocketServer": "socketserver",
    "BaseHTTPServer": "http.server",
    "posixpath": "os.path",
    "_io": "io",
}
"""Other names of modules."""
INSIDE_OTHERS: Final = frozenset({"os", "_os", "sys", "_sys", "subprocess", "socket", "builtins", "__builtins__"})
"""Modules that are also reached through a module that imports them, as in `shutil.os`."""
ROOTS: Final = frozenset(
    """
    os subprocess shutil socket requests httpx aiohttp urllib urllib2 pathlib pty commands base64 codecs pickle marshal
    ctypes runpy importlib sys builtins __builtins__ asyncio smtplib ftplib paramiko zipfile tarfile socketserver posix
    http binascii zlib boto3
    """.split()
)
"""Modules taken for imported where nobody assigned the name: earlier code of the session may have done it."""
GUESSED_METHODS: Final = frozenset(
    "system popen rmtree check_output check_call getoutput getstatusoutput execv execve execvp".split()
)
"""Names that say enough, whatever module they are taken from."""
RICH_MODULES: Final = frozenset({"os", "subprocess", "builtins", "pty"})
"""Where a function whose name is not known may be one that runs anything."""


_Row = TypeVar("_Row", bound=Start | File | Reach | Send)


def by_name(rows: tuple[_Row, ...]) -> dict[str, tuple[_Row, ...]]:
    """The rows of a table under each name they are for."""
    found: dict[str, tuple[_Row, ...]] = {}
    for row in rows:
        for name in row.names.split():
            found[name] = (*found.get(name, ()), row)
    return found


TELLING: Final = frozenset(
    "import from exec eval compile open getattr __import__ globals builtins __builtins__ decode".split()
    + [name.rpartition(".")[2] for rows in (STARTS, FILES, REACHES, SENDS, LISTENERS) for name in by_name(rows)]
    + [CLOUD_CLIENT, "fork", *(start for row in CLOUD for start in row.starts.split())]
    + [name.rpartition(".")[2] for name in EVALUATORS | UNPICKLERS | SCRIPT_RUNNERS | LIBRARY_LOADERS | ESCALATORS]
)
"""Words that make a statement worth reading, when there is no time for all of them."""
