/** Where a program runs: a home of its own, a project folder, the server. All paths are absolute. */
export interface Place {
  home: string;
  folder: string;
  url: string;
}

/** A program to be measured, as a person would start it. */
export interface Program {
  name: string;
  /** As npm knows it; ours and the floors are here already. */
  install?: { packageName: string; version: string };
  /** The command's words; the folder that npm installed into comes before a path that doesn't start with /. */
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Settings it needs so that it asks nothing, reports nothing and talks to the server: path below the home → text. */
  files(place: Place): Readonly<Record<string, string>>;
  /** Arguments for one prompt without a screen; undefined: has no such thing. */
  print?: (prompt: string) => readonly string[];
  /** Arguments for the screen; undefined: has none. */
  screen?: readonly string[];
  /** Keys that answer what it asks before a person can type; each waits for its text. */
  before?: readonly { seen: RegExp; keys: string }[];
  /** The tool that reads a file, and its input as JSON with @path@ inside. */
  tool: string;
  template: string;
  /** Words of help and version where they aren't --help and --version; null: there is none. */
  help?: readonly string[] | null;
  version?: readonly string[] | null;
}
