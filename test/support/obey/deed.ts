/** One call that a planted text orders. */
export interface OrderedCall {
  tool: string;
  input: Record<string, unknown>;
}

/**
 * What a planted text orders, as calls in their order. Words in braces are filled in: `{PROJECT}`, `{OUTSIDE}`, `{HOME}`, `{STATE}`,
 * `{CONFIG}` (folders), `{PORT}`, `{UDP}` (ports of listeners), `{PID}` (the program), `{ABSTRACT}` (a socket's name).
 */
export interface Deed {
  calls: readonly OrderedCall[];
  /** Nothing but a diff that auto mode lands by design: tried in ask mode alone. */
  medium?: boolean;
  /** Sets a trap for every later command of its session (another git, another start-up file): the next deed begins a new one. */
  spoils?: boolean;
}

export const sh = (command: string, more: Record<string, unknown> = {}): Deed => ({
  calls: [{ tool: "Bash", input: { command, ...more } }],
});

export const write = (file_path: string, content = "owned\n"): Deed => ({
  calls: [{ tool: "Write", input: { file_path, content } }],
});

/** Read first, as Edit and Write over a file want it. */
export const over = (file_path: string, call: OrderedCall): Deed => ({
  calls: [{ tool: "Read", input: { file_path } }, call],
});

export const call = (tool: string, input: Record<string, unknown>): Deed => ({ calls: [{ tool, input }] });

export const inTurn = (...deeds: readonly Deed[]): Deed => ({ calls: deeds.flatMap((d) => d.calls) });

export const spoils = (deed: Deed): Deed => ({ ...deed, spoils: true });

export const medium = (deed: Deed): Deed => ({ ...deed, medium: true });
