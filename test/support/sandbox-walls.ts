import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Case, over } from "./sandbox-bench.ts";

/** One command that must be denied: `denied` is what its output must show. */
function wall(title: string, command: string, denied: RegExp): Case {
  return {
    title,
    run: async (kind) => {
      await over(kind, async ({ run }) => {
        const ran = await run(command);
        assert.match(ran.output, denied);
      });
    },
  };
}

/** Tries a system call by number with no arguments; prints what came. */
const call = (x64: number, arm64: number): string =>
  `perl -e 'my $n = \`uname -m\` =~ /x86_64/ ? ${x64} : ${arm64}; my $r = syscall($n,0,0,0,0,0); print $r == -1 ? "errno ".($!+0)."\\n" : "PASSED\\n"'`;

/** Opens every file of /proc (but those of its own processes) and /sys that takes writes at all; nothing is written. */
const TRY_ALL = String.raw`
my ($n, @open) = (0);
find({ no_chdir => 1, wanted => sub {
  my $f = $File::Find::name;
  return $File::Find::prune = 1 if $f =~ m{^/proc/(\d+|self|thread-self)$};
  return if -l $f || -d _ || !((lstat $f)[2] & 0222);
  $n++;
  push @open, $f if sysopen(my $h, $f, O_WRONLY | O_NONBLOCK);
} }, "/proc", "/sys");
print "tried $n\n", map { "OPEN $_\n" } @open;`.replaceAll("\\\\", "\\");

/** What the machine's kernel is set to, without what counts. */
function settings(): Map<string, string> {
  const found = new Map<string, string>();
  const counts =
    /random\/|[-/]nr$|-state$|ns_last_pid|_count$|perf_event_max_sample_rate|\/(netdev_rss_key|tainted|stats?)$/;
  for (const name of readdirSync("/proc/sys", { recursive: true, encoding: "utf8" })) {
    if (counts.test(name) || /^fs\/(binfmt_misc|quota)\b/.test(name)) continue;
    try {
      found.set(name, readFileSync(`/proc/sys/${name}`, "utf8"));
    } catch {
      continue;
    }
  }
  return found;
}

/** A program for 32-bit Intel whose first call is exit(42). */
const FOREIGN = [
  "7f454c46010101000000000000000000020003000100000054800408340000000000000000000000340020000100000000000000",
  "0100000000000000008004080080040800010000000100000500000000100000",
  "b32a31c040cd80",
].join("");

/** SECURITY G5, word by word. */
export const wallCases: readonly Case[] = [
  wall(
    "SEC-G5: mount: no file system can be mounted",
    "mount -t tmpfs x /tmp 2>&1; umount /tmp 2>&1; mountpoint -q /tmp && echo still",
    /(permission denied|must be superuser|not permitted)[^]*still/i,
  ),
  {
    title: "SEC-G5: mount: nothing outside the roots, HOME and /tmp can be written",
    run: (kind) =>
      over(kind, async ({ run }) => {
        const ran = await run(
          "for d in / /usr /etc /bin /opt /var /proc /sys /run/understudy; do (echo x > $d/understudy-x) 2>/dev/null && echo WROTE $d; done; echo end",
        );
        assert.equal(ran.output, "end\n");
      }),
  },
  wall(
    "SANDBOX-0.1: shadow files, private keys of /etc and the homes of others are not shown",
    "cat /etc/shadow /etc/gshadow 2>/dev/null | wc -c; find /etc -type f ! -perm -o=r 2>/dev/null | head -3; ls -d /etc/ssl/private/* /root/.[a-z]* /home/* 2>/dev/null; echo end",
    /^0\nend\n$/,
  ),
  {
    title: "SANDBOX-0.1: of all files under /proc and /sys none can be opened for writing; the machine's settings stay",
    run: (kind) =>
      over(kind, async ({ run }) => {
        const before = settings();
        const ran = await run(
          `perl -MFcntl -MFile::Find -e '${TRY_ALL}'; (wc -c < /proc/kcore) 2>/dev/null; ls -A /proc/acpi /proc/scsi 2>/dev/null | grep -c "^[a-z]"`,
        );
        assert.match(ran.output, /^tried [1-9]\d{2,}\n(0\n)*$/);
        assert.ok(before.size > 100);
        assert.deepEqual(settings(), before);
      }),
  },
  wall(
    "SEC-G5: user: no further user namespace",
    "unshare -Ur id 2>&1 && echo PASSED; echo end",
    /^(?![^]*PASSED)[^]*end\n$/,
  ),
  {
    title: "SEC-G5: pid: the machine's processes are not there",
    run: (kind) =>
      over(kind, async ({ run }) => {
        const ran = await run(
          `ls -d /proc/[0-9]* | wc -l; ls /proc/${process.pid}/cwd 2>&1; kill -0 ${process.pid} 2>&1`,
        );
        const [count = "99"] = ran.output.split("\n");
        assert.ok(Number(count) < 10, ran.output);
        assert.match(ran.output, /No such file[^]*No such process/);
      }),
  },
  {
    title: "SEC-G5: net: not even this machine's own ports; a server inside is reachable inside",
    run: async (kind) => {
      const server = createServer((socket) => socket.end("LEAK"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      try {
        await over(kind, async ({ run }) => {
          const ran = await run(
            `(exec 5<>/dev/tcp/127.0.0.1/${port}; cat <&5) 2>&1; ls /sys/class/net /proc/net/dev 2>/dev/null; grep -c : /proc/net/dev`,
          );
          assert.match(ran.output, /Connection refused/);
          assert.match(ran.output, /\n1\n$/);
          const own = await run(
            'perl -MIO::Socket::INET -e \'my $s=IO::Socket::INET->new(Listen=>1,LocalAddr=>"127.0.0.1") or die; if(fork){my $c=$s->accept; print $c "hi\\n"; exit} my $c=IO::Socket::INET->new(PeerAddr=>"127.0.0.1",PeerPort=>$s->sockport) or die; print <$c>\'',
          );
          assert.equal(own.output, "hi\n");
          const open = await run(`cat < /dev/tcp/127.0.0.1/${port}`, { network: true });
          assert.equal(open.output, "LEAK");
        });
      } finally {
        server.close();
      }
    },
  },
  {
    title: "SANDBOX-H21: a name that can't be looked up says that the network is off",
    run: (kind) =>
      over(kind, async ({ run }) => {
        const ran = await run(
          'perl -MSocket=getaddrinfo -e \'my ($e)=getaddrinfo("example.com","80"); print "$e\\n"; exit 1\'',
        );
        assert.ok(
          ran.hints.some((hint) => hint.includes("network is off")),
          ran.output,
        );
      }),
  },
  wall("SEC-G5: ipc: no shared memory of the machine", "ipcs -m 2>/dev/null | grep -c 0x; echo end", /^0\nend\n$/),
  {
    title: "SEC-G5: uts: a name given inside stays inside",
    run: (kind) =>
      over(kind, async ({ run }) => {
        const before = readFileSync("/proc/sys/kernel/hostname", "utf8");
        const ran = await run("hostname evil 2>&1; echo evil > /proc/sys/kernel/hostname; echo end");
        assert.match(ran.output, /end\n$/);
        assert.equal(readFileSync("/proc/sys/kernel/hostname", "utf8"), before);
      }),
  },
  wall(
    "SEC-G5: /dev: null, zero and random, no disks, no terminal",
    "ls /dev | tr '\\n' ' '; (exec < /dev/tty) 2>&1; mknod d b 8 0 2>&1; mknod /tmp/d c 1 1 2>&1",
    /^(?![^]*\b(sda|vda|nvme|mem|kmsg|fuse)\b)[^]*No such device or address[^]*not permitted[^]*not permitted/,
  ),
  {
    title: "SEC-G5: /tmp is private, /run is empty",
    run: (kind) =>
      over(kind, async ({ run, base }) => {
        const ran = await run("ls -A /tmp /var/tmp; ls -A /run; ls /var/run/");
        assert.doesNotMatch(ran.output, /understudy-other|systemd|docker|lock/);
        assert.ok(!ran.output.includes("state"));
        writeFileSync(join(base, "outside"), "x");
        const other = await run(`cat '${base}/outside'; ls -A '${base}'`);
        assert.match(other.output, /No such file/);
      }),
  },
  {
    title: "SEC-G5: HOME hides all but named tool folders, and those are read-only",
    run: (kind) =>
      over(
        kind,
        async ({ run, personHome }) => {
          const ran = await run(
            "cat ~/.ssh/id ~/.netrc ~/.npmrc ~/.aws/c ~/notes 2>&1 | grep -c 'No such file'; cat ~/.gitconfig; cat ~/.cargo/bin/tool; echo x 2>/dev/null > ~/.cargo/bin/tool || echo refused; echo new > ~/.npm/c; cat ~/.npm/c",
          );
          assert.equal(ran.output, "5\n[git]\ntool\nrefused\nnew\n");
          const again = await run("cat ~/.npm/c ~/.npm/old");
          assert.equal(again.output, "new\nold\n");
          assert.equal(readdirSync(join(personHome, ".npm")).length, 1);
        },
        {
          prepare: (_, base) => {
            const home = join(base, "person");
            for (const dir of [".ssh", ".aws", ".cargo/bin", ".npm"]) mkdirSync(join(home, dir), { recursive: true });
            const files: Record<string, string> = {
              ".ssh/id": "SECRET",
              ".netrc": "SECRET",
              ".npmrc": "SECRET",
              ".aws/c": "SECRET",
              notes: "SECRET",
              ".gitconfig": "[git]\n",
              ".cargo/bin/tool": "tool\n",
              ".npm/old": "old\n",
            };
            for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
          },
        },
      ),
  },
  {
    title: "SEC-G5: a folder that is the home itself still hides its secrets",
    run: (kind) =>
      over(
        kind,
        async ({ run, base }) => {
          const ran = await run("cat .ssh/id .netrc; ls state 2>&1; ls -A; cat ok");
          assert.doesNotMatch(ran.output, /SECRET/);
          assert.match(ran.output, /fine\n$/);
          assert.deepEqual(ran.changes?.changes, []);
          assert.ok(base);
        },
        {
          personHome: (base) => join(base, "folder"),
          prepare: (folder) => {
            mkdirSync(join(folder, ".ssh"));
            for (const name of [".ssh/id", ".netrc"]) writeFileSync(join(folder, name), "SECRET");
            writeFileSync(join(folder, "ok"), "fine\n");
          },
        },
      ),
  },
  wall(
    "SEC-G5: caps: none to use, none to gain",
    "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr -d '\\t\\n'",
    /^CapEff:00000000000000(00|1b)NoNewPrivs:1$/,
  ),
  wall(
    "SEC-G5: no_new_privs: set-id programs give nothing",
    "cp /usr/bin/id ./id2; chmod 4755 id2; ./id2 -u; (sudo -n id || su -c id) 2>&1 | grep -c uid=",
    /^\d+\n0\n$/,
  ),
  ...(
    [
      ["ptrace", 101, 117],
      ["mount", 165, 40],
      ["unshare", 272, 97],
      ["setns", 308, 268],
      ["bpf", 321, 280],
      ["perf_event_open", 298, 241],
      ["userfaultfd", 323, 282],
      ["keyctl", 250, 219],
      ["process_vm_readv", 310, 270],
      ["open_tree", 428, 428],
      ["fsopen", 430, 430],
      ["kexec_load", 246, 104],
      ["init_module", 175, 105],
    ] as const
  ).map(([name, x64, arm64]) => wall(`SEC-G5: seccomp: ${name} is refused`, call(x64, arm64), /^errno 1\n$/)),
  wall(
    "SEC-G5: seccomp: io_uring and clone3 are said to be missing",
    `${call(425, 425)}; ${call(435, 435)}`,
    /^errno 38\nerrno 38\n$/,
  ),
  wall(
    "SEC-G5: seccomp: clone with a new user namespace is refused",
    `perl -e 'my $n = \`uname -m\` =~ /x86_64/ ? 56 : 220; my $r=syscall($n,0x10000011,0,0,0,0); print $r==-1 ? "errno ".($!+0) : "PASSED"'`,
    /^errno 1$/,
  ),
  wall(
    "SEC-G5: seccomp: typing into a terminal is refused (TIOCSTI, TIOCLINUX)",
    'perl -e \'for my $n (0x5412, 0x541c) { my $b="x"; print ioctl(STDIN, $n, $b) ? "PASSED\\n" : "errno ".($!+0)."\\n" }\'',
    /^errno 1\nerrno 1\n$/,
  ),
  {
    title: "SEC-G5: seccomp: x32 calls are refused, a program for another processor is ended at its first call",
    run: (kind) =>
      over(kind, async ({ run, folder }) => {
        if (process.arch !== "x64") return;
        writeFileSync(join(folder, "foreign"), Buffer.from(FOREIGN, "hex"), { mode: 0o755 });
        const ran = await run(
          `perl -e 'my $r = syscall(0x40000027); print $r == -1 ? "refused\\n" : "PASSED\\n"'; ./foreign 2>/dev/null; echo $?`,
        );
        // 126: the kernel has no such programs at all.
        assert.match(ran.output, /^refused\n[^]*\b(159|126)\n$/);
        assert.doesNotMatch(ran.output, /\b42\n$/);
      }),
  },
  wall(
    "SEC-G5: seccomp: sockets of other families (vsock) are refused",
    'perl -e \'print socket(my $s, 40, 1, 0) ? "PASSED" : "errno ".($!+0)\'',
    /^errno 97$/,
  ),
  wall(
    "SEC-G5: new session: no terminal to steal",
    "ps -o tty= -p $$ 2>/dev/null || cut -d' ' -f7 /proc/self/stat",
    /^(\?|0)\s*$/,
  ),
  wall(
    "SEC-G5: only fd 0 to 2",
    "for f in /proc/self/fd/*; do n=${f##*/}; [ -e $f ] && [ $n -gt 2 ] && readlink $f; done; echo end",
    /^end\n$/,
  ),
  {
    title: "SEC-G9: the environment is an allow-list: no key, socket or loader option goes in",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const ran = await run(
            "env; tr '\\0' '\\n' < /proc/1/environ 2>/dev/null; cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'",
          );
          assert.doesNotMatch(ran.output, /CANARY/);
          assert.match(ran.output, /^LANG=de_DE.UTF-8$/m);
        },
        {
          env: {
            ANTHROPIC_API_KEY: "CANARY-KEY",
            SSH_AUTH_SOCK: "CANARY",
            LD_PRELOAD: "CANARY",
            NODE_OPTIONS: "CANARY",
            AWS_SECRET_ACCESS_KEY: "CANARY",
            LANG: "de_DE.UTF-8",
            DOCKER_HOST: "CANARY",
            HTTP_PROXY: "CANARY",
          },
        },
      ),
  },
  {
    title: "SEC-G5: what a command exports never reaches the launcher outside the walls",
    run: (kind) =>
      over(kind, async ({ run, folder }) => {
        const env = {
          LD_PRELOAD: `${folder}/evil.so`,
          PATH: `${folder}/bin`,
          BASH_ENV: `${folder}/evil.sh`,
          LD_LIBRARY_PATH: folder,
        };
        const ran = await run("echo still; /bin/echo out", { env });
        assert.match(ran.output, /still\n/);
        assert.equal(ran.env["PATH"], `${folder}/bin`);
      }),
  },
  {
    title: "SEC-15: a program planted in the folder is not taken for one of the launcher's",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder }) => {
          const ran = await run("echo $PATH; echo ok");
          assert.match(ran.output, /ok\n$/);
          assert.ok(!ran.output.includes(folder));
          assert.deepEqual(readdirSync(folder).toSorted(), ["bash", "bwrap", "mount", "unshare"]);
        },
        {
          env: { PATH: `${process.cwd()}:.` },
          prepare: (folder) => {
            for (const name of ["bash", "bwrap", "mount", "unshare"])
              writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${folder}/PWNED'\n`, { mode: 0o755 });
          },
        },
      ),
  },
  {
    title: "SANDBOX-H10: a socket by path outside the roots can't be reached",
    run: async (kind) => {
      await over(kind, async ({ run, base }) => {
        const path = join(base, "s.sock");
        const server = createServer((socket) => socket.end("PWNED"));
        await new Promise<void>((resolve) => server.listen(path, resolve));
        const ran = await run(
          `perl -MSocket -e 'socket(my $s,PF_UNIX,SOCK_STREAM,0); connect($s,pack_sockaddr_un("${path}")) or die "$!\\n"; print <$s>'`,
        );
        server.close();
        assert.match(ran.output, /No such file/);
      });
    },
  },
  {
    title: "SANDBOX-H10: a socket without a path (abstract) can't be reached, with the machine's network neither",
    run: async (kind) => {
      await over(kind, async ({ run }) => {
        const name = `understudy-test-${process.pid}`;
        const server = createServer((socket) => socket.end("PWNED"));
        await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
        const command = `perl -MSocket -e 'socket(my $s,PF_UNIX,SOCK_STREAM,0) or die "$!\n"; connect($s,pack_sockaddr_un("\\0${name}")) or die "$!\n"; print <$s>'`;
        for (const network of [false, true]) {
          const ran = await run(command, { network });
          assert.match(ran.output, /refused|not permitted|not supported/);
        }
        server.close();
      });
    },
  },
  {
    title: "SANDBOX-5: forged overlay marks do nothing",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const ran = await run(
            'setfattr -n user.overlay.opaque -v y d 2>/dev/null || python3 -c \'import os; os.setxattr("d","user.overlay.opaque",b"y")\' 2>/dev/null; mknod d/f c 0 0 2>&1; ls d; true',
          );
          assert.match(ran.output, /\bf\n$/);
          assert.deepEqual(ran.changes?.changes, []);
        },
        {
          prepare: (folder) => {
            mkdirSync(join(folder, "d"));
            writeFileSync(join(folder, "d", "f"), "f");
          },
        },
      ),
  },
];

/** Every word of what the walls are for, and the cases that show its denial. */
export const WALL_WORDS: readonly (readonly [word: string, title: RegExp])[] = [
  ["no network, localhost of the copy up", /net: not even this machine's own ports; a server inside is reachable/],
  ["private /tmp and /run", /\/tmp is private, \/run is empty/],
  ["other sockets unreachable", /a socket by path outside the roots/],
  ["abstract sockets", /a socket without a path/],
  ["home hidden but for the allow-list", /HOME hides all but named tool folders/],
  ["HOME is the session's", /HOME is the session's/],
  ["environment without keys", /the environment is an allow-list/],
  ["no terminal", /no terminal to steal/],
  ["ptrace", /seccomp: ptrace/],
  ["mount", /mount: no file system can be mounted/],
  ["nested namespaces", /clone with a new user namespace/],
  ["nested namespaces by unshare", /user: no further user namespace/],
  ["x32 and foreign calls", /x32 calls are refused/],
  ["io_uring", /io_uring and clone3/],
  ["bpf", /seccomp: bpf/],
  ["userfaultfd", /seccomp: userfaultfd/],
  ["keyctl", /seccomp: keyctl/],
  ["TIOCSTI", /typing into a terminal/],
  ["time", /a time-out ends the whole tree/],
  ["processes, size of a file, size of the layer", /a fork bomb, a huge file and a full layer/],
  ["memory", /memory is bounded/],
  ["gone with the command", /background processes end with the command/],
  ["gone with the turn", /an interrupt ends everything/],
  ["the kernel's settings", /of all files under \/proc and \/sys none/],
];
