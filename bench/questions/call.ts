/** A call as a model makes it. */
export interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** One recorded piece of work: the replies of a model, each with its calls, on the project of `repo.ts`. */
export interface Work {
  name: string;
  turns: readonly (readonly Call[])[];
}

export const read = (file_path: string, more: Record<string, unknown> = {}): Call => ({
  name: "Read",
  input: { file_path, ...more },
});
export const grep = (pattern: string, path?: string): Call => ({
  name: "Grep",
  input: { pattern, ...(path === undefined ? {} : { path }) },
});
export const glob = (pattern: string): Call => ({ name: "Glob", input: { pattern } });
export const bash = (command: string, more: Record<string, unknown> = {}): Call => ({
  name: "Bash",
  input: { command, ...more },
});
export const edit = (file_path: string, old_string: string, new_string: string): Call => ({
  name: "Edit",
  input: { file_path, old_string, new_string },
});
export const write = (file_path: string, content: string): Call => ({ name: "Write", input: { file_path, content } });
export const del = (file_path: string): Call => ({ name: "Delete", input: { file_path } });
export const todo = (...todos: [string, "pending" | "active" | "done"][]): Call => ({
  name: "TodoWrite",
  input: { todos: todos.map(([text, status]) => ({ text, status })) },
});
