import { isFact } from "../events/event.ts";
import type { Model } from "../model/model.ts";
import type { OpenOptions } from "./options.ts";
import { recordedPerson } from "./replay-person.ts";
import { replayModel } from "./replay-model.ts";
import type { Recorded } from "./replay-record.ts";
import { type Act, actText, type Script } from "./replay-script.ts";
import type { Session } from "./session.ts";

export interface PlayOptions {
  folder: string;
  store: { results: string };
  open(person: Pick<OpenOptions, "asker" | "saveRule">, model: Model, resume?: string): Promise<Session>;
}

/** How long a command runs before the person's stop reaches it. */
const BEFORE_STOP_MS = 400;

/** Does what the person of a script did, in its place, on a session that runs for real; what comes is matched with the record. */
export class Player {
  readonly #script: Script;
  readonly #record: Recorded;
  readonly #options: PlayOptions;
  readonly #person: ReturnType<typeof recordedPerson>;
  readonly #model: Model;
  #session: Session | undefined;
  #next = 0;
  #stop = new AbortController();

  constructor(script: Script, record: Recorded, options: PlayOptions) {
    this.#script = script;
    this.#record = record;
    this.#options = options;
    this.#person = recordedPerson(script.events, {
      due: (seq) => this.#due(seq),
      act: () => this.#range(this.#next - 1),
    });
    this.#model = replayModel(script.events, script.opened.model, {
      here: (text) => this.#here(text),
      onStopped: () => this.#stop.abort(),
    });
  }

  /** Of the play's own log. */
  get sessionId(): string {
    if (this.#session === undefined) throw new Error("nothing was played");
    return this.#session.id;
  }

  /** Plays all acts, or up to the first divergence. */
  async play(signal: AbortSignal): Promise<void> {
    const { acts } = this.#script;
    const session = await this.#open();
    if (!session.sandbox.contained) {
      await session.close();
      throw new Error("commands can't be contained on this machine, so a record is not run again here");
    }
    try {
      for (let act = acts[this.#next]; act !== undefined; act = acts[this.#next]) {
        if (this.#record.divergence !== undefined || signal.aborted) return;
        this.#next++;
        await this.#do(act, signal);
      }
    } finally {
      await this.#session?.close();
    }
  }

  async #open(resume?: string): Promise<Session> {
    this.#session = await this.#options.open(this.#person, this.#model, resume);
    return this.#session;
  }

  async #do(act: Act, signal: AbortSignal): Promise<void> {
    const session = this.#live();
    const { from, to } = this.#range(this.#next - 1);
    if (act.act === "prompt") return this.#run(session.submit(act.said, this.#fresh(signal)));
    if (act.act === "goOn") return this.#run(session.goOn(this.#fresh(signal)));
    if (act.act === "resume") {
      await session.close();
      await this.#open(session.id);
    } else await this.#now(act);
    this.#record.pass(from, to);
  }

  /** One query, to its end. */
  async #run(events: ReturnType<Session["submit"]>): Promise<void> {
    for (;;) {
      const step = await events.next();
      if (step.done === true) return;
      if (isFact(step.value) && step.value.type !== "note.added") this.#record.take(step.value);
      const over = this.#script.cut !== undefined && this.#record.isWhole;
      if (over || this.#record.divergence !== undefined) this.#stop.abort();
      else await this.#due();
    }
  }

  /** Does what is next in the record and came while the query ran. */
  async #due(before = Infinity): Promise<void> {
    for (;;) {
      const act = this.#script.acts[this.#next];
      if (act === undefined || !act.within || act.seq > before) return;
      if (act.act === "steer" ? !this.#isNear(act.seq) : before === Infinity && !this.#record.isReached(act.seq))
        return;
      this.#next++;
      if (act.act === "stop") this.#stopAt(act.seq);
      else {
        await this.#now(act);
        if (act.act !== "steer") this.#record.pass(act.seq, act.seq + 1);
      }
    }
  }

  /** What was typed is read behind the results of the turn. */
  #isNear(seq: number): boolean {
    const turn = this.#script.events.findLast((e) => e.seq < seq && e.type === "reply.completed");
    return turn === undefined || this.#record.isReached(turn.seq + 1);
  }

  /** A reply is stopped by the model that plays it; a command gets the time to begin. */
  #stopAt(seq: number): void {
    const event = this.#script.events.find((e) => e.seq === seq);
    const stop = this.#stop;
    if (event?.type === "reply.cut") return;
    if (event?.type === "call.finished" && this.#runs(event.callId, seq))
      setTimeout(() => stop.abort(), BEFORE_STOP_MS);
    else stop.abort();
  }

  /** A call that had begun, and about which nobody was asked since. */
  #runs(callId: string, seq: number): boolean {
    const facts = this.#script.events.filter((e) => e.seq < seq && "callId" in e && e.callId === callId);
    return facts.at(-1)?.type === "call.started";
  }

  async #now(act: Act): Promise<void> {
    const session = this.#live();
    switch (act.act) {
      case "steer":
        session.steer(act.said);
        return;
      case "mode":
        return session.setMode(act.mode);
      case "model":
        return void (await session.setModel(act.model));
      case "name":
        return session.rename(act.name);
      case "clear":
        return session.clear();
      case "shell": {
        const run = session.shell(this.#here(act.command), new AbortController().signal);
        while ((await run.next()).done !== true);
        return;
      }
      case "undo":
        return this.#report(
          act,
          await session.undo(this.#record.playedId(act.operationId), act.along ? "along" : "alone"),
        );
      case "redo":
        return this.#report(act, await session.redo());
      case "rehearse":
        return this.#report(act, await session.setRehearsal(act.on));
      case "land":
        await session.land();
        return;
      default:
        throw new Error(`${actText(act)} can't be played here`);
    }
  }

  #report(act: Act, { ok, text }: { ok: boolean; text: string }): void {
    if (!ok) this.#record.divergence = { seq: act.seq, expected: actText(act), came: text };
  }

  #live(): Session {
    if (this.#session === undefined) throw new Error("no session is open");
    return this.#session;
  }

  #fresh(signal: AbortSignal): AbortSignal {
    this.#stop = new AbortController();
    return AbortSignal.any([this.#stop.signal, signal]);
  }

  #range(index: number): { from: number; to: number } {
    const { acts } = this.#script;
    return { from: acts[index]?.seq ?? 0, to: acts[index + 1]?.seq ?? Infinity };
  }

  /** A path of the record's, as it is called here. */
  #here(text: string): string {
    const { opened } = this.#script;
    const results = `${this.#options.store.results}/${this.#session?.id ?? ""}`;
    const named = text.replaceAll(new RegExp(`/[^\\s"']*/results/${opened.sessionId}\\b`, "g"), results);
    return named.replaceAll(opened.folder, this.#options.folder);
  }
}
