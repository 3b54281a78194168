import { describe, expect, it } from "vitest";
import { ordinaryUser, startAs } from "../../support/as-user.ts";
import { missingTool, needs } from "../../support/runnable.ts";

describe("a rehearsal of an ordinary user", () => {
  it(
    "W6: comes to the same folder, and what can't be written or looked into is carried over as it is",
    { timeout: 180_000 },
    async (ctx) => {
      const account = ordinaryUser();
      needs(ctx, missingTool("bwrap") ?? missingTool("git") ?? (account === undefined ? "no user for it" : undefined));
      if (account === undefined) return;
      const { child, remove } = startAs(account, "rehearse-user.ts", []);
      let [out, err] = ["", ""];
      child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
      child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
      await new Promise((resolve) => child.on("close", resolve));
      remove();
      const line = out.split("\n").find((row) => row.startsWith("{")) ?? `{"failed":${JSON.stringify(err)}}`;
      const told = JSON.parse(line) as { landed: string[]; rehearsed: string[] };
      expect(told).toMatchObject({ report: true, same: true, shut: true });
      expect(told.rehearsed).toEqual(told.landed);
      expect(told).toMatchObject({
        modes: ["500", "500", "400", "500"],
        texts: ["m\n", "i\n", "s\n", "more\n"],
        locked: "(no output)\n[Pending, not in the folder yet: create locked/l. Later calls see it.]",
      });
    },
  );
});
