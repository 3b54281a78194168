import { expect, it } from "vitest";
import { buildRequest } from "../../../src/context/request.ts";
import { systemPrompt } from "../../../src/context/system.ts";
import { initialState } from "../../../src/events/reduce.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { systemClock } from "../../../src/util/system.ts";

it("U2: --system-prompt stands in the place of the built-in one, --append-system-prompt behind either", () => {
  const model = scriptedModel({ turns: [] }, { clock: systemClock });
  const system = (parts: { base?: string; append?: string }) =>
    buildRequest(initialState("s"), model, { specs: [], ...parts }).system.map(({ text }) => text);
  const [ours = ""] = systemPrompt().map(({ text }) => text);
  expect(system({ base: "mine" })).toEqual(["mine"]);
  expect(system({ base: "mine", append: "more" })).toEqual(["mine", "more"]);
  expect(system({ base: " ", append: "more" })).toEqual([ours, "more"]);
});
