import type { Clock } from "../util/deps.ts";
import { actionOf, DEFAULT_KEYMAP, type Keymap } from "./input/keymap.ts";
import { readInput } from "./input/reader.ts";
import { openPick, type Pick, pickKey, pickRows } from "./prompt/pick.ts";
import { addDetails, doAct, type PickSource } from "./prompt/pick-acts.ts";
import type { SessionRow } from "./render/menu.ts";
import { paint } from "./render/spans.ts";
import { createOut } from "./term/out.ts";
import { themeFor } from "./theme.ts";

export interface PickOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** The person's own keys. */
  keymap?: Keymap;
}

/**
 * Asks which session to go on with (`agent --resume` without an id), on a terminal, without Ink. undefined: none. Drawn at once; what takes
 * longer to know (`source`) follows.
 */
export async function pickSession(
  list: readonly SessionRow[],
  options: PickOptions,
  source?: PickSource,
): Promise<string | undefined> {
  const { stdin, stdout, env, clock, keymap = DEFAULT_KEYMAP } = options;
  const theme = themeFor(env);
  let pick: Pick = openPick(list);
  let finish: (id: string | undefined) => void = () => {};
  const chosen = new Promise<string | undefined>((resolve) => (finish = resolve));
  const out = createOut(stdout, { clock, onGone: () => finish(undefined) });
  const draw = () => {
    const width = Math.max(1, out.columns - 1);
    const { head, list: rows, caret } = pickRows(pick, width, Math.max(1, Math.min(10, out.rows - 3)));
    out.frame(paint([...head, ...rows], theme), caret);
  };
  let closed = false;
  const update = (change: (pick: Pick) => Pick) => {
    if (closed) return;
    pick = change(pick);
    draw();
  };
  const reader = readInput(stdin, clock, () => finish(undefined));
  stdin.setRawMode(true);
  out.onResize(draw);
  reader.listen((events) => {
    for (const event of events) {
      if (event.kind !== "key") continue;
      const step = pickKey(pick, event.key, actionOf(keymap, "overlay", event.key));
      pick = step.pick;
      if (step.act !== undefined && source !== undefined) void doAct(step.act, source, update);
      if (step.done !== undefined) finish(step.done.id);
    }
    draw();
  });
  draw();
  if (source !== undefined) void addDetails(source, update);
  try {
    return await chosen;
  } finally {
    closed = true;
    reader.close();
    stdin.setRawMode(false);
    out.close();
  }
}
