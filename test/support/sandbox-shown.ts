import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Case, over, type SandboxBench } from "./sandbox-bench.ts";

/** What lies beside the roots: a tool folder, a folder with a key in it, a link to the tools. */
function lay(base: string): string[] {
  const person = join(base, "person");
  for (const dir of ["sdk/bin", "unseen", "person/mine/lib", "person/.config/gh", "person/.config/app"])
    mkdirSync(join(base, dir), { recursive: true });
  writeFileSync(join(base, "sdk/bin/hello"), "#!/bin/sh\necho hello\n");
  chmodSync(join(base, "sdk/bin/hello"), 0o755);
  writeFileSync(join(base, "sdk/secret.env"), "SECRET");
  writeFileSync(join(base, "unseen/f"), "UNSEEN\n");
  writeFileSync(join(person, "mine/lib/f"), "lib\n");
  writeFileSync(join(person, "mine/beside"), "UNSEEN\n");
  writeFileSync(join(person, ".config/gh/hosts.yml"), "SECRET");
  writeFileSync(join(person, ".config/app/rc"), "rc\n");
  symlinkSync(join(base, "sdk"), join(base, "link"));
  return [join(base, "link"), join(person, "mine/lib"), join(person, ".config")];
}

async function socketIn(base: string, { run }: SandboxBench): Promise<string> {
  const path = join(base, "sdk", "s");
  const server = createServer((socket) => socket.end("PWNED"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  try {
    const ask = `perl -MIO::Socket::UNIX -e 'my $s=IO::Socket::UNIX->new(Peer=>"${path}") or die "refused: $!\\n"; print <$s>'`;
    return (await run(ask)).output;
  } finally {
    server.close();
  }
}

/** What settings show beside the roots (`bash.show`), on every backend with walls. */
export const shownCases: readonly Case[] = [
  {
    title: "W1: what settings list is there for every command, read-only, its programs found, its secrets covered",
    run: (kind) =>
      over(
        kind,
        async (bench) => {
          const { run, base, personHome } = bench;
          const seen = `hello; cd ${base}; cat sdk/secret.env 2>/dev/null || echo closed; cat ~/mine/lib/f ~/.config/app/rc; cat ~/.config/gh/hosts.yml ~/mine/beside unseen/f 2>/dev/null; for f in sdk/new ~/mine/lib/f ~/.config/app/rc; do echo x 2>/dev/null > $f || echo kept; done; echo mine > ~/mine/own`;
          for (const n of [1, 2]) {
            const ran = await run(seen);
            assert.equal(ran.output, "hello\nclosed\nlib\nrc\nkept\nkept\nkept\n", `run ${n}`);
            assert.deepEqual(ran.changes?.changes, []);
          }
          assert.equal(readFileSync(join(personHome, "mine/lib/f"), "utf8"), "lib\n");
          assert.match(await socketIn(base, bench), /^refused: /);
          // A grant for one command is wider than the list.
          const path = join(base, "sdk");
          await run(`echo written > ${path}/new`, { outside: [{ path, access: "write" }] });
          assert.equal(readFileSync(join(path, "new"), "utf8"), "written\n");
        },
        {
          shown: lay,
          env: { PATH: `/usr/bin:/bin:%BASE%/sdk/bin` },
          denied: () => ["Read(//**/secret.env)"],
        },
      ),
  },
  {
    title: "W1: a list that holds the folder itself shows what is around it, and the folder stays a copy",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder, base }) => {
          const ran = await run("cat ../beside; echo x 2>/dev/null > ../beside || echo kept; echo in > made");
          assert.equal(ran.output, "beside\nkept\n");
          assert.deepEqual(
            ran.changes?.changes.map((c) => `${c.op} ${c.path}`),
            ["create made"],
          );
          assert.equal(folder, join(base, "mono/a"));
        },
        {
          folder: "mono/a",
          shown: (base) => {
            writeFileSync(join(base, "mono/beside"), "beside\n");
            return [join(base, "mono")];
          },
        },
      ),
  },
];
