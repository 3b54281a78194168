import type { Draft } from "./draft.ts";
import type { LogEventOf } from "./event.ts";
import type { Told } from "./state.ts";

type Event = LogEventOf<"memory.read" | "memory.recalled" | "skills.listed" | "skill.loaded">;

/** A note of the conversation that says what it tells of, so that whatever is still sent is not told again, and what is no longer sent is. */
export function toldOf(draft: Draft, event: Event): void {
  draft.items().push({ kind: "note", seq: event.seq, text: event.text, told: partsOf(event) });
}

function partsOf(event: Event): Told {
  switch (event.type) {
    case "memory.read":
      // What is gone was told as that: it has no hash.
      return {
        kind: "memory",
        parts: event.files.map(({ path, scope, hash, how }) => ({ id: path, scope, hash: how === "gone" ? "" : hash })),
      };
    case "memory.recalled":
      return { kind: "recall", parts: event.notes.map(({ name, hash }) => ({ id: name, hash })) };
    case "skills.listed":
      return { kind: "skills", parts: event.skills.map(({ name, hash }) => ({ id: name, hash })) };
    case "skill.loaded":
      return { kind: "skill", parts: [{ id: event.name, hash: event.hash }] };
  }
}
