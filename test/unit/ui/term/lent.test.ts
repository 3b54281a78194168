import { describe, expect, it } from "vitest";
import { whileLent } from "../../../../src/ui/term/signals.ts";

describe("while another program has the terminal", () => {
  it("UX-IN-16 TUI-3.4: Ctrl-C and Ctrl-Z there end nothing here, and mean again what they meant afterwards", async () => {
    const heard: string[] = [];
    const own = (["SIGINT", "SIGQUIT", "SIGTSTP"] as const).map((name) => [name, () => void heard.push(name)] as const);
    for (const [name, listener] of own) process.on(name, listener);
    try {
      const before = own.map(([name]) => process.listenerCount(name));
      await whileLent(async () => {
        await Promise.resolve();
        process.emit("SIGINT");
        process.emit("SIGQUIT");
        // None of ours: the system's own stop.
        expect(process.listenerCount("SIGTSTP")).toBe(0);
      });
      expect(heard).toEqual([]);
      await expect(whileLent(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
      expect(own.map(([name]) => process.listenerCount(name))).toEqual(before);
      for (const [name] of own) process.emit(name);
      expect(heard).toEqual(["SIGINT", "SIGQUIT", "SIGTSTP"]);
    } finally {
      for (const [name, listener] of own) process.off(name, listener);
    }
  });
});
