/** A call that failed by the model's or the world's fault: the message goes to the model whole, and says what to try next. */
export class ToolError extends Error {
  override name = "ToolError";
}
