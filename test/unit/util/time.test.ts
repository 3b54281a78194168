import { expect, it } from "vitest";
import { parseTime } from "../../../src/util/time.ts";

it.each<[string, number | undefined]>([
  ["90s", 90_000],
  ["10m", 600_000],
  [" 1.5 h ", 5_400_000],
  ["2min", 120_000],
  ["45", 45_000],
  ["0", undefined],
  ["-1s", undefined],
  ["soon", undefined],
  ["", undefined],
  ["1d", undefined],
])("S3: %j is %s ms", (text, ms) => expect(parseTime(text)).toBe(ms));
