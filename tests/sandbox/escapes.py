"""The ways out that are tried, one entry each: a name, and code that runs inside and returns something true if it got
out. `T` says what of the machine's there is to be reached."""

PRELUDE = '''
import ctypes, errno, json, os, signal, socket, struct, subprocess, sys
T = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def connects(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as made:
        made.settimeout(5)
        made.connect(address)
        return True

def runs(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20, **more)

def through_door(data, then=b""):
    """What the proxy answers; then send more, and what is answered to that."""
    with socket.create_connection(("127.0.0.1", int(os.environ["http_proxy"].rpartition(":")[2])), 10) as made:
        made.sendall(data)
        first = made.recv(65536)
        if not then:
            return first, b""
        made.sendall(then)
        rest = b""
        while piece := made.recv(65536):
            rest += piece
        return first, rest

def hello(name):
    import ssl
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    made = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        made.do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()

def attempt():
'''

EPILOGUE = """

try:
    out = attempt()
except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
    print("refused:", type(error).__name__, error)
    out = False
print("ESCAPED" if out else "tried")
"""

ESCAPES = {
    # The network
    "a connection to a port of the machine's": "return connects(socket.AF_INET, ('127.0.0.1', T['tcp']))",
    "a connection to another address of the machine's": "return connects(socket.AF_INET, (T['address'], T['any_tcp']))",
    "a connection to an address outside": """
    try:
        return connects(socket.AF_INET, ("192.0.2.1", 443))
    except OSError as error:
        return error.errno != errno.ENETUNREACH  # whoever waits for an answer has sent something
    """,
    "a connection by IPv6": "return connects(socket.AF_INET6, ('::1', T['tcp6']))",
    "a connection by an IPv4 address in IPv6": "return connects(socket.AF_INET6, ('::ffff:127.0.0.1', T['tcp']))",
    "a datagram": """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"out", ("127.0.0.1", T["udp"]))
        made.sendto(b"out", (T["address"], T["udp"]))
    """,
    "a datagram to a name server": """
    question = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\4data\\7example\\0\\0\\1\\0\\1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.settimeout(2)
        made.sendto(question, (T["name_server"], 53))
        return made.recv(512)
    """,
    "a name that is looked up": "return socket.getaddrinfo('data.example.com', 443)",
    "a raw socket": "return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)",
    "a raw socket by IPv6": "return socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)",
    "a socket of packets": "return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)",
    "a socket of virtual machines": "return socket.socket(40, socket.SOCK_STREAM)",
    "a socket of virtual machines that connects": "return connects(40, (2, 1024))",
    "the kernel's cryptography": "return socket.socket(38, socket.SOCK_SEQPACKET)",
    "a socket of radios": "return socket.socket(31, socket.SOCK_RAW, 1)",
    "a socket of clusters": "return socket.socket(30, socket.SOCK_STREAM)",
    "a socket of keys": "return socket.socket(15, socket.SOCK_RAW, 2)",
    "a socket of express paths": "return socket.socket(44, socket.SOCK_RAW)",
    "the kernel's audit": "return socket.socket(16, socket.SOCK_RAW, 9)",
    "the kernel's events of devices": "return socket.socket(16, socket.SOCK_RAW, 15)",
    "a family given with high bits": "return call(41, 0x100000000 | 1, 1, 0)",
    "a socket in the file system": "return connects(socket.AF_UNIX, T['unix'])",
    "a socket in the workspace": "return connects(socket.AF_UNIX, 'lifeline')",
    "an abstract socket": "return connects(socket.AF_UNIX, '\\0' + T['abstract'])",
    "a pair of datagrams": """
    first, second = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    first.connect("lifeline")
    return True
    """,
    "the engine of containers": "return os.path.exists('/run/docker.sock') or os.path.exists('/var/run/docker.sock')",
    "the system bus": "return os.path.exists('/run/dbus/system_bus_socket')",
    "an agent of keys": "return os.environ.get('SSH_AUTH_SOCK')",
    "the keeper's own socket": "return connects(socket.AF_UNIX, T['state'] + '/sandbox/keeper')",
    "sockets by way of rings": "return call(425, 8, ctypes.create_string_buffer(120)) > 0",
    "calls of the 32-bit interface": """
    code = bytes.fromhex("b866010000bb0a0000000f0500c3")
    import mmap
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(bytes.fromhex("53b867010000bb01000000b901000000ba00000000cd805bc3"))
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    if os.fork() == 0:
        os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() >= 0 else 1)
    return os.waitstatus_to_exitcode(os.wait()[1]) == 0
    """,
    "calls of the x32 interface": "return call(0x40000000 | 41, 1, 1, 0) >= 0",
    # The door
    "a tunnel to another port": """
    return b" 200" in through_door(b"CONNECT allowed.test:22 HTTP/1.1\\r\\nHost: allowed.test:22\\r\\n\\r\\n")[0]
    """,
    "a tunnel to a host that is not listed": """
    return b" 200" in through_door(b"CONNECT evil.test:443 HTTP/1.1\\r\\nHost: evil.test:443\\r\\n\\r\\n")[0]
    """,
    "a tunnel to a private address": """
    return b" 200" in through_door(b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % (T["tcp"], T["tcp"]))[0]
    """,
    "a request to a private address": """
    return b" 200" in through_door(b"GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % (T["tcp"], T["tcp"]))[0]
    """,
    "a request to the machine's metadata": """
    return b" 200" in through_door(b"GET http://169.254.169.254/latest/ HTTP/1.1\\r\\nHost: 169.254.169.254\\r\\n\\r\\n")[0]
    """,
    "a host that only the header names": """
    return b" 200" in through_door(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n\\r\\n" % T["tcp"])[0]
    """,
    "curl with a cleared environment": """
    return runs("env", "-i", "/usr/bin/curl", "-sS", "-m", "5", f"http://127.0.0.1:{T['tcp']}/").returncode in (0, 52, 56)
    """,
    "curl without the proxy": """
    return runs("curl", "-sS", "-m", "5", "--noproxy", "*", f"http://127.0.0.1:{T['tcp']}/").returncode in (0, 52, 56)
    """,
    # Processes and namespaces
    "the network of process 1": "return runs('nsenter', '-t', '1', '-n', 'true').returncode == 0",
    "entering a namespace": "return call(308, os.open('/proc/1/ns/net', os.O_RDONLY), 0) == 0",
    "a namespace of users": "return libc.unshare(0x10000000) == 0",
    "a namespace of networks": "return libc.unshare(0x40000000) == 0",
    "a namespace of mounts": "return libc.unshare(0x00020000) == 0",
    "a namespace of times": "return libc.unshare(0x80) == 0",
    "a namespace by clone": "return call(56, 0x10000011, 0, 0, 0, 0) == 0 and os._exit(0)",
    "a namespace by clone3": """
    arguments = struct.pack("8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0)
    return call(435, arguments, len(arguments)) >= 0
    """,
    "unshare, the program": "return runs('unshare', '-Ur', 'true').returncode == 0",
    "a sandbox in the sandbox": "return runs('bwrap', '--ro-bind', '/', '/', 'true').returncode == 0",
    "tracing process 1": "return call(101, 16, 1, 0, 0) == 0",
    "tracing a child": """
    if (child := os.fork()) == 0:
        os.execvp("sleep", ["sleep", "5"])
    return call(101, 16, child, 0, 0) == 0
    """,
    "a process of the machine's": "return os.kill(T['pid'], 0) is None",
    "the environment of a process of the machine's": """
    return T["secret"].encode() in open(f"/proc/{T['pid']}/environ", "rb").read()
    """,
    "secrets in any process that can be seen": """
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if T["secret"].encode() in open(f"/proc/{name}/environ", "rb").read():
                    return True
            except OSError:
                continue
    """,
    "the memory of process 1": "return call(310, 1, ctypes.create_string_buffer(16), 1, ctypes.create_string_buffer(16), 1, 0) >= 0",
    "a descriptor of another process": "return call(438, call(434, 1, 0), 0, 0) >= 0",
    "more rights by sudo": "return runs('sudo', '-n', 'true').returncode == 0",
    "rights that were dropped": """
    status = open("/proc/self/status").read()
    return any(line.split()[1].strip("0") for line in status.splitlines() if line.startswith("Cap"))
    """,
    "a program with its owner's rights": "open('rb', 'w'); os.chmod('rb', 0o4755); return True",
    "a program with its owner's rights from the start": "return os.open('rs', os.O_CREAT | os.O_WRONLY, 0o4755)",
    "the same by the newest call": """
    how = struct.pack("3Q", os.O_CREAT | os.O_WRONLY, 0o4755, 0)
    return call(437, -100, b"rn", how, len(how)) >= 0
    """,
    "keys of the session": "return call(250, 0, -3, 1) > 0",
    "tables in the kernel": "return call(321, 0, struct.pack('4I56x', 2, 4, 4, 1), 72) >= 0",
    "counters of the processor": "return call(298, struct.pack('2IQ96x', 1, 112, 0), 0, -1, -1, 0) >= 0",
    "page faults of one's own": "return call(323, 0) >= 0",
    "typing into the terminal": "import fcntl; return fcntl.ioctl(0, 0x5412, b'x') is not None",
    "a signal to the group that it was started in": """
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.kill(0, signal.SIGUSR1)
    return True
    """,
    # Files
    "mounting": "return libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0",
    "mounting the root to be written to": "return libc.mount(None, b'/', None, 0x1020, None) == 0",
    "taking a mount away": "return libc.umount2(os.fsencode(os.getcwd() + '/.git/hooks'), 2) == 0",
    "mounting the new way": "return call(430, b'tmpfs', 0) >= 0",
    "another root": "return libc.chroot(b'/tmp') == 0",
    "a file by its handle": """
    found = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
    return call(303, -100, b"/proc", found, ctypes.create_string_buffer(8), 0x200) >= 0
    """,
    "files of the home": "return open(T['home'] + '/.ssh/id_ed25519').read()",
    "credentials of clouds": "return open(T['home'] + '/.aws/credentials').read()",
    "the history of the shell": "return open(T['home'] + '/.bash_history').read()",
    "secrets of the project": "return T['secret'] in open('.env').read()",
    "secrets further in": "return T['secret'] in open('deploy/prod/server.key').read()",
    "secrets by a link": "return open('shortcut').read()",
    "files above the root": "return open('/../../../../../..' + T['home'] + '/.ssh/id_ed25519').read()",
    "files by the root of process 1": "return open('/proc/1/root' + T['home'] + '/.ssh/id_ed25519').read()",
    "files by the directory of a process": "return open('/proc/1/cwd/../.ssh/id_ed25519').read()",
    "the temporary files of the machine": "return os.path.exists(T['unix'])",
    "the guard's record": "return os.listdir(T['state'])",
    "the guard's configuration": "return open(T['home'] + '/.config/guardhouse/config.yaml').read()",
    "the guard's keys": "return os.listdir(T['keys'])",
    "the guard's program": "return open(T['program'] + '/guard.py', 'a')",
    "passwords of the machine": "return open('/etc/shadow').read()",
    "a variable with a secret": "return T['secret'] in str(dict(os.environ))",
    "disks": "return [name for name in os.listdir('/dev') if name.startswith(('sd', 'vd', 'nvme', 'mem', 'kmsg'))]",
    "settings of the kernel": "return open('/proc/sys/kernel/core_pattern', 'w').write('x')",
    "the kernel's emergency keys": "return open('/proc/sysrq-trigger', 'w').write('h')",
    "hooks of the agent": "return open('.claude/settings.json', 'w').write('{}')",
    "hooks of an agent that is not there": "os.makedirs('.codex', exist_ok=True); return open('.codex/hooks.json', 'w').write('{}')",
    "hooks of git": "return open('.git/hooks/pre-commit', 'w').write('x')",
    "programs in the settings of git": "return open('.git/config', 'a').write('x')",
    "another name for the settings of git": "os.link('.git/config', 'other'); os.unlink('other'); return True",
    "another name for a hook": "os.link('.claude/settings.json', 'other'); os.unlink('other'); return True",
    "another name for a secret": """
    os.link(".env", "other")
    try:
        return T["secret"] in open("other").read()
    finally:
        os.unlink("other")
    """,
    "another directory for git": "os.rename('.git', '.git-2'); return True",
    "another directory for the agent": "os.rename('.claude', '.claude-2'); return True",
    "the agent's directory taken away": "import shutil; shutil.rmtree('.claude'); return True",
    "a link in the place of the agent's directory": """
    os.rename(".claude", "old")
    os.symlink("elsewhere", ".claude")
    return True
    """,
    "programs for later": """
    place = T["home"] + "/.local/bin"
    os.makedirs(place, exist_ok=True)
    open(place + "/git", "w").write("x")
    """,
    "what the shell reads at its start": "open(T['home'] + '/.bashrc', 'a').write('x')",
    "system programs": "return open('/usr/bin/guardhouse-was-here', 'w')",
}

OPENS = "CONNECT localhost:{port} HTTP/1.1\\r\\nHost: localhost:{port}\\r\\n\\r\\n"
THROUGH_A_TUNNEL = {
    # what is sent through a tunnel that was granted, and whether it comes out at the other end
    "the name that was asked for": ("hello('localhost')", True),
    "another name in the handshake": ("hello('evil.test')", False),
    "no name in the handshake": ("hello(None)", False),
    "something else than TLS": ("b'SSH-2.0-OpenSSH_9.2\\r\\n'", False),
}
BEHIND = """
    allowed, other = T["allowed"], T["other"]
    asks = b"GET http://localhost:%d/ HTTP/1.1\\r\\nHost: localhost:%d\\r\\n\\r\\n"
    first, _ = through_door(asks % (allowed, allowed) + asks % (other, other))
    print("first:", first)
"""
