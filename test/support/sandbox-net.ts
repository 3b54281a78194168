import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Socket } from "node:net";
import { listen, net, origin, world } from "./net.ts";
import { type Case, over, type SandboxBench } from "./sandbox-bench.ts";

const has = (name: string): boolean => {
  try {
    execFileSync("bash", ["-c", `type -P ${name}`], { stdio: "ignore", env: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
    return true;
  } catch {
    return false;
  }
};

/** Commands with hosts, on every backend with walls. */
export const netCases: readonly Case[] = [
  {
    title: "W1: a named host is reached through the proxy, and nothing else; what was reached and refused is told",
    run: async (kind) => {
      const [web, other] = [await origin("NAMED"), await origin("OTHER")];
      try {
        await over(kind, async ({ run }) => {
          const hosts = [net(`127.0.0.1:${web.port}`)];
          const both = `curl -sS http://127.0.0.1:${web.port}/; echo; curl -sS http://127.0.0.1:${other.port}/; curl -sS -m 5 https://x.example/`;
          const ran = await run(both, { hosts });
          assert.match(ran.output, /^NAMED\n/);
          assert.match(ran.output, new RegExp(`refused 127.0.0.1:${other.port}: it was not named by this call`));
          assert.deepEqual([web.seen.length, other.seen.length], [1, 0]);
          const [use, ...more] = ran.reached ?? [];
          assert.deepEqual([use?.host, use?.port, more], ["127.0.0.1", web.port, []]);
          assert.ok((use?.up ?? 0) > 20 && (use?.down ?? 0) > 20, JSON.stringify(use));
          const list = JSON.stringify([`127.0.0.1:${web.port}`, `127.0.0.1:${other.port}`, "x.example:443"]);
          assert.ok(ran.hints.join().includes(`network: ${list}`), ran.hints.join());
          // Around the proxy there is no way, and the next command has neither.
          const around = await run(`curl -sS -m 5 --noproxy '*' http://127.0.0.1:${web.port}/`, { hosts });
          assert.match(around.output, /(refused|Failed to connect|Couldn't connect)/);
          assert.deepEqual(around.env, {});
          const next = await run(`env | grep -ic proxy; curl -sS -m 5 http://127.0.0.1:${web.port}/`);
          assert.match(next.output, /^0\n/);
          assert.equal(web.seen.length, 1);
        });
      } finally {
        await Promise.all([web.close(), other.close()]);
      }
    },
  },
  {
    title: "W1: names are looked up outside, and refused by where they lead; SOCKS5 on the same port",
    run: async (kind) => {
      const web = await origin("BY NAME");
      const names = world({ "good.example": ["127.0.0.1"], "bad.example": ["169.254.169.254"] });
      try {
        const body = async ({ run }: SandboxBench): Promise<void> => {
          const hosts = [`good.example:${web.port}`, `127.0.0.1:${web.port}`, "bad.example:80"].map(net);
          const ran = await run(
            `curl -sS http://good.example:${web.port}/; echo; curl -sS http://bad.example/; curl -sS --socks5-hostname "\${HTTPS_PROXY#http://}" http://good.example:${web.port}/`,
            { hosts },
          );
          assert.match(ran.output, /^BY NAME\n[^]*link-local[^]*BY NAME$/);
          assert.match(ran.hints.join(), /bad\.example:80 \(it leads to 169\.254\.169\.254/);
        };
        await over(kind, body, { world: names });
      } finally {
        await web.close();
      }
    },
  },
  {
    title: "W1: the copy's own servers are reached without the proxy",
    run: (kind) =>
      over(kind, async ({ run }) => {
        const serve = `perl -MIO::Socket::INET -e 'my $s=IO::Socket::INET->new(Listen=>5,LocalAddr=>"127.0.0.1",LocalPort=>8123,ReuseAddr=>1) or die; open(my $f,">","up"); close $f; while(my $c=$s->accept){ sysread($c,my $x,9999); print $c "HTTP/1.0 200 OK\\r\\n\\r\\nINSIDE"; close $c }' & until [ -e up ]; do sleep 0.05; done`;
        const ran = await run(`${serve}; curl -sS http://127.0.0.1:8123/; curl -sS http://localhost:8123/`, {
          hosts: [net("h.example:443")],
        });
        assert.equal(ran.output, "INSIDEINSIDE");
        assert.deepEqual(ran.reached, []);
      }),
  },
  {
    title: "W1: git over http and npm use the proxy by themselves",
    run: async (kind) => {
      const dir = mkdtempSync(join(tmpdir(), "understudy-git-"));
      const git = (...args: string[]): void => void execFileSync("git", ["-C", dir, ...args], { stdio: "ignore" });
      git("init", "-q", "-b", "main");
      git("-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "one");
      git("update-server-info");
      const server = createHttp((req, res) => {
        const path = (req.url ?? "").split("?")[0] ?? "";
        try {
          if (path === "/some-package")
            res.end(
              JSON.stringify({
                name: "some-package",
                "dist-tags": { latest: "4.5.6" },
                versions: { "4.5.6": { name: "some-package", version: "4.5.6" } },
              }),
            );
          else res.end(readFileSync(join(dir, ".git", path.replace(/^\/r\.git/, ""))));
        } catch {
          res.writeHead(404).end();
        }
      });
      const web = await listen(server);
      try {
        await over(kind, async ({ run, folder }) => {
          const hosts = [net(`127.0.0.1:${web.port}`)];
          const at = `http://127.0.0.1:${web.port}`;
          const cloned = await run(`git clone -q ${at}/r.git got && git -C got log --format=%s`, { hosts });
          assert.equal(cloned.output, "one\n");
          assert.ok((cloned.reached?.[0]?.down ?? 0) > 100);
          if (has("npm")) {
            const seen = await run(`cd ${folder}; npm view some-package version --registry ${at}/`, { hosts });
            assert.match(seen.output, /4\.5\.6/);
          }
        });
      } finally {
        await web.close();
        rmSync(dir, { recursive: true, force: true });
      }
    },
  },
  {
    title: "T7: a command that is stopped or timed out has its connections ended, and what it reached is told",
    run: async (kind) => {
      let [open, came]: [Socket | undefined, () => void] = [undefined, () => undefined];
      const server = createServer((socket) => {
        open = socket.resume();
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbegin");
        came();
      });
      const web = await listen(server);
      try {
        await over(kind, async ({ run, steps }) => {
          const hosts = [net(`127.0.0.1:${web.port}`)];
          const get = `curl -sS http://127.0.0.1:${web.port}/`;
          const stop = new AbortController();
          const arrived = new Promise<void>((resolve) => (came = resolve));
          const running = run(get, { hosts }, stop.signal);
          await arrived;
          const closed = new Promise((resolve) => open?.once("close", resolve));
          stop.abort();
          const ran = await running;
          await closed;
          assert.deepEqual([ran.reason, ran.reached?.[0]?.port], ["interrupted", web.port]);
          const late = await run(get, {
            hosts,
            limits: { timeoutMs: 1500, processes: 99, fileSizeMb: 9, layerMb: 99 },
          });
          assert.deepEqual([late.reason, (late.reached?.[0]?.down ?? 0) > 10], ["timeout", true]);
          assert.deepEqual(execFileSync("ls", [steps], { encoding: "utf8" }), "");
        });
      } finally {
        await web.close();
      }
    },
  },
];
