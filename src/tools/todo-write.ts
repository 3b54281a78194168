import { z } from "zod";
import { Todo } from "../events/event.ts";
import { done, failed, quiet } from "./outcome.ts";
import { defineTool, type Outcome } from "./tool.ts";

const Input = z.strictObject({
  todos: z.array(z.strictObject(Todo.shape)).max(100).describe("The whole list each time"),
});
type Input = z.infer<typeof Input>;

/** Replaces the list of what is to do, which the person sees. */
export const todoWriteTool = defineTool<Input>({
  name: "TodoWrite",
  description: `Keeps the list of steps that the person sees. Use it for work of three or more steps: the list first, one step active at a time, each marked done along with the next call, the last needs none of its own.
Example: {"todos":[{"text":"Find the failing test","status":"done"},{"text":"Mend the parser","status":"active"}]}`,
  input: Input,
  subject: (input) => `${input.todos.length} steps`,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  run: (input) => quiet(() => Promise.resolve(keep(input))),
});

function keep({ todos }: Input): Outcome {
  const empty = todos.findIndex((todo) => todo.text.trim() === "");
  if (empty >= 0) return failed(`todos[${empty}].text is empty.`);
  const count = (status: Todo["status"]) => todos.filter((todo) => todo.status === status).length;
  const words =
    todos.length === 0
      ? "The list is empty."
      : `Noted: ${count("done")} done, ${count("active")} active, ${count("pending")} pending.`;
  return done(words, { todos });
}
