import type { LogEventOf } from "../events/event.ts";

/** What the model was told of files, notes and skills, in one line. */
export function memoryText(
  event: LogEventOf<"memory.read" | "memory.recalled" | "skills.listed" | "skill.loaded">,
): string {
  switch (event.type) {
    case "memory.read": {
      const files = event.files.map(
        ({ path, how, chars, of, by }) =>
          `${path} (${how === "gone" ? "gone" : `${how}, ${chars} characters${of === undefined ? "" : ` of ${of}`}`}${by === undefined ? "" : `, imported by ${by}`})`,
      );
      return [`memory: ${files.join(", ") || "nothing new"}`, ...(event.problems ?? [])].join("; ");
    }
    case "memory.recalled":
      return `remembered: ${event.notes.map(({ title }) => title).join("; ")}${event.left === 0 ? "" : ` (${event.left} others not)`}`;
    case "skills.listed": {
      const names = event.skills.map(({ name, source }) => `${name} (${source})`);
      return [`skills told: ${names.join(", ") || "none"}`, ...(event.problems ?? [])].join("; ");
    }
    case "skill.loaded":
      return `skill ${event.name} loaded (${event.source}, ${event.path}) by the ${event.by}`;
  }
}
