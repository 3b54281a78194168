import type { LogEvent } from "../../events/event.ts";
import { plainTheme } from "../theme.ts";
import { Film } from "./film.ts";

/** A session as lines, where there is no terminal: what its transcript showed. */
export function plainReplay(events: readonly LogEvent[], width: number): string[] {
  const film = new Film(plainTheme);
  return events.flatMap((event) => {
    film.show(event);
    return film.take(width);
  });
}
