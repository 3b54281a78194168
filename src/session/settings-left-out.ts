import { offsetOf, placeOf } from "./jsonc.ts";
import type { ReadSettings } from "./settings-file.ts";

/** Said, not silently dropped: keys by which a project would loosen or steer. */
export function leftOut({ file, text, tree, values, steering }: ReadSettings, own: string): string[] {
  const keys: (readonly string[])[] = [
    ...(
      [
        "model",
        "fallbackModel",
        "retry",
        "baseUrl",
        "mode",
        "effort",
        "theme",
        "screen",
        "terminal",
        "editor",
        "secrets",
        "appendSystemPrompt",
        "prices",
        "models",
      ] as const
    )
      .filter((k) => values[k] !== undefined)
      .map((k) => [k]),
    ...((values.bash?.show ?? []).length > 0 ? [["bash", "show"]] : []),
    ...steering.map((k) => [k]),
    ...((values.permissions?.allow ?? []).length > 0 ? [["permissions", "allow"]] : []),
  ];
  return keys.map(
    (path) =>
      `${file}:${placeOf(text, offsetOf(tree, path)).line}: ${path.join(".")} is not used: a project's settings only tighten. Your own for this project: ${own}`,
  );
}
