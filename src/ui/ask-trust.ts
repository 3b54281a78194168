import type { TrustLook } from "../session/trust.ts";
import type { Clock } from "../util/deps.ts";
import { mayAnswer, questionShown, UNARMED } from "./input/arming.ts";
import type { InputEvent } from "./input/key.ts";
import { readInput } from "./input/reader.ts";
import { layoutTrust, openTrust, type TrustAnswer, trustKey, trustShown } from "./prompt/trust.ts";
import { paint } from "./render/spans.ts";
import { createOut } from "./term/out.ts";
import { themeFor } from "./theme.ts";

export interface AskTrustOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
}

/** Keys that only look, or leave. */
const HARMLESS = new Set(["pagedown", "pageup", "space", "home", "end", "up", "down"]);

/** Asks on a terminal, without Ink, before anything of the folder is used. Keys count once the question is on screen and armed (P-4). */
export async function askTrust(look: TrustLook, { stdin, stdout, env, clock }: AskTrustOptions): Promise<TrustAnswer> {
  const theme = themeFor(env);
  let prompt = openTrust(look);
  let arming = UNARMED;
  let finish: (answer: TrustAnswer) => void = () => {};
  const answer = new Promise<TrustAnswer>((resolve) => (finish = resolve));
  const out = createOut(stdout, { clock, onGone: () => finish("leave") });
  const width = () => Math.max(1, out.columns - 1);
  const sight = () => layoutTrust(prompt, width(), Math.max(1, out.rows - 1));
  const draw = () => {
    const { rows, caret } = sight();
    out.frame(paint(rows, theme), caret);
  };
  out.onWritten((at) => {
    prompt = trustShown(prompt, sight(), width());
    if (arming.shownAt === undefined) arming = questionShown(arming, at);
  });
  const onEvent = (event: InputEvent) => {
    const { counts, state } = mayAnswer(arming, event);
    arming = state;
    if (event.kind !== "key") return;
    const { key } = event;
    if (key.ctrl && (key.name === "c" || key.name === "d")) return finish("leave");
    if (key.ctrl || key.alt || (!counts && !HARMLESS.has(key.name))) return;
    const step = trustKey(prompt, key, sight());
    prompt = step.prompt;
    if (step.done !== undefined) finish(step.done);
  };
  const reader = readInput(stdin, clock, () => finish("leave"));
  stdin.setRawMode(true);
  out.onResize(draw);
  reader.listen((events) => {
    for (const event of events) onEvent(event);
    draw();
  });
  draw();
  try {
    return await answer;
  } finally {
    reader.close();
    stdin.setRawMode(false);
    out.close();
  }
}
