import { describe, expect, it } from "vitest";
import { setUp } from "../../../src/session/setup.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { builtinTools } from "../../../src/tools/builtin.ts";
import { systemClock } from "../../../src/util/system.ts";
import { answers, place } from "../../support/session.ts";

describe("sessions of one start of the program", () => {
  it("E2 M2: model and effort that were typed are for the first session; a copy or another keeps what was chosen in it", async () => {
    const at = place("setup");
    const setup = setUp({
      folder: at.folder,
      addDirs: [],
      env: { PATH: process.env["PATH"] },
      dirs: { config: at.config, state: at.state },
      flags: { model: "typed", effort: "low", allow: [], deny: [] },
      rehearse: false,
      tools: builtinTools,
      version: "0",
      clock: systemClock,
      ownModel: () => scriptedModel({ turns: [] }),
    });
    const first = await setup.open(answers());
    expect(first.state().model).toBe("typed");
    await first.setModel("chosen");
    await first.setEffort("high");
    const copy = await setup.open(answers(), first.id, {});
    expect(copy.state()).toMatchObject({ model: "chosen", effort: "high" });
    await Promise.all([first.close(), copy.close()]);
    const again = await setup.open(answers(), first.id);
    expect(again.state()).toMatchObject({ model: "chosen", effort: "high" });
    await again.close();
    // A new one begins as it was typed.
    const other = await setup.open(answers());
    expect(other.state().model).toBe("typed");
    await other.close();
  });
});
