import type { LogEvent } from "../../events/event.ts";
import type { Clock } from "../../util/deps.ts";
import { type Key, keyId } from "../input/key.ts";
import { readInput } from "../input/reader.ts";
import { cleanRow } from "../render/clean.ts";
import { line, paint, truncate } from "../render/spans.ts";
import { createOut, type Out } from "../term/out.ts";
import { type Theme, themeFor } from "../theme.ts";
import { Film } from "./film.ts";
import { type Step, stepsOf } from "./steps.ts";

export interface ReplayScreenOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  speed: number;
  step: boolean;
  from?: number;
}

/** Plays a session on a terminal, to its end or until the person leaves. */
export async function showReplay(events: readonly LogEvent[], options: ReplayScreenOptions): Promise<void> {
  const { stdin, stdout, env, clock } = options;
  const theme = themeFor(env);
  const out = createOut(stdout, { clock, onGone: () => projector.leave() });
  const projector = new Projector(stepsOf(events), { ...options, out, theme });
  const reader = readInput(stdin, clock, () => projector.leave());
  stdin.setRawMode(true);
  out.onResize(() => projector.draw());
  reader.listen((keys) => {
    for (const event of keys) if (event.kind === "key") projector.key(event.key);
  });
  try {
    await projector.run();
  } finally {
    reader.close();
    stdin.setRawMode(false);
    out.close();
  }
}

interface Parts extends Pick<ReplayScreenOptions, "clock" | "speed" | "step" | "from"> {
  out: Out;
  theme: Theme;
}

/** Where a play stands, and the keys that move it. */
class Projector {
  readonly #steps: readonly Step[];
  readonly #parts: Parts;
  #film: Film;
  /** The step that comes next or is under way, and how many of its events were shown. */
  #next = 0;
  #part = 0;
  #speed: number;
  #paused: boolean;
  #left = false;
  /** Ends the pause that is under way. */
  #wake = new AbortController();

  constructor(steps: readonly Step[], parts: Parts) {
    this.#steps = steps;
    this.#parts = parts;
    this.#film = new Film(parts.theme);
    this.#speed = parts.speed;
    this.#paused = parts.step;
  }

  async run(): Promise<void> {
    const { from = 0, speed, step } = this.#parts;
    const first = this.#steps.findIndex((s) => s.seq >= from);
    this.#goTo(first < 0 || (speed === Infinity && !step) ? this.#steps.length : first);
    while (!this.#left && this.#next < this.#steps.length) {
      await this.#pause(this.#paused ? Infinity : this.#advance() / this.#speed);
    }
    this.draw();
  }

  leave(): void {
    this.#left = true;
    this.#wake.abort();
  }

  key(key: Key): void {
    const act = KEYS[keyId(key)] ?? KEYS[key.text ?? ""];
    if (act === undefined) return;
    this[act]();
    this.#wake.abort();
    this.draw();
  }

  toggle(): void {
    this.#paused = !this.#paused;
  }
  /** The next step, whole. */
  forward(): void {
    this.#paused = true;
    this.#show();
  }
  nextMessage(): void {
    const at = this.#steps.findIndex((step, i) => i > this.#next && step.begins);
    this.#goTo(at < 0 ? this.#steps.length : at);
  }
  lastMessage(): void {
    const at = this.#steps.findLastIndex((step, i) => i < this.#next - 1 && step.begins);
    this.#goTo(Math.max(0, at));
  }
  faster(): void {
    this.#speed *= 2;
  }
  slower(): void {
    this.#speed = Math.max(0.25, this.#speed / 2);
  }

  /** Shows one event of the step that is under way; gives how long it stands. */
  #advance(): number {
    const { events = [] } = this.#steps[this.#next] ?? {};
    const shown = events[this.#part++];
    if (shown !== undefined) this.#film.show(shown.event);
    if (this.#part >= events.length) [this.#next, this.#part] = [this.#next + 1, 0];
    return shown?.ms ?? 0;
  }

  /** The step to its end. */
  #show(): void {
    const step = this.#next;
    while (this.#next === step) this.#advance();
  }

  /** Forward adds what lies between; back paints the screen anew. */
  #goTo(index: number): void {
    const { out, theme } = this.#parts;
    const back = index < this.#next;
    if (back) {
      this.#film = new Film(theme);
      [this.#next, this.#part] = [0, 0];
    }
    while (this.#next < index) this.#show();
    if (back) out.repaint(this.#film.newest(this.#width(), out.rows - 2));
  }

  async #pause(ms: number): Promise<void> {
    this.draw();
    this.#wake = new AbortController();
    if (ms === Infinity) await new Promise((done) => this.#wake.signal.addEventListener("abort", done, { once: true }));
    else if (ms > 0) await this.#parts.clock.sleep(ms, this.#wake.signal);
  }

  draw(): void {
    const { out } = this.#parts;
    out.cork();
    const above = this.#film.take(this.#width());
    if (above.length > 0) out.above(above);
    out.frame(this.#next < this.#steps.length && !this.#left ? this.#region() : []);
    out.uncork();
  }

  #region(): string[] {
    const { out, theme } = this.#parts;
    const width = this.#width();
    const tail = this.#film.tail(width, Math.max(0, out.rows - 3));
    return [...tail, ...paint([[], truncate(line(this.#status(), "dim"), width)], theme)];
  }

  #status(): string {
    const { view } = this.#film;
    const at = this.#steps[Math.max(0, this.#next - 1)]?.seq ?? 0;
    const last = this.#steps.at(-1)?.seq ?? 0;
    const speed = this.#speed === Infinity ? "max" : `${this.#speed}×`;
    const asks = view.question === undefined ? "" : ` · asks: ${cleanRow(view.question.decision.reason)}`;
    const runs = view.running.find((call) => call.startedAt !== undefined)?.tool;
    const does = asks === "" && runs !== undefined ? ` · runs ${cleanRow(runs)}` : "";
    const head = this.#paused ? "replay, paused" : `replay ${speed}`;
    return `${head} · event ${at} of ${last}${asks}${does} · space, → step, [ ] message, + -, q`;
  }

  #width(): number {
    return Math.max(1, this.#parts.out.columns - 1);
  }
}

type Command = "toggle" | "forward" | "nextMessage" | "lastMessage" | "faster" | "slower" | "leave";
const KEYS: Readonly<Record<string, Command>> = {
  space: "toggle",
  return: "forward",
  right: "forward",
  n: "forward",
  "]": "nextMessage",
  pagedown: "nextMessage",
  "[": "lastMessage",
  pageup: "lastMessage",
  "+": "faster",
  "-": "slower",
  q: "leave",
  escape: "leave",
  "ctrl+c": "leave",
};
