/** An answer that is no reply, of a service that is not called through the SDK: its status, or the type that an event in a stream named. */
export class AnswerError extends Error {
  override name = "AnswerError";
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly headers: Headers | undefined;

  /** `message`: what the service said, in its own words. */
  constructor(message: string, about: { status?: number; type?: string; headers?: Headers }) {
    super(message);
    this.status = about.status;
    this.type = about.type;
    this.headers = about.headers;
  }
}

/** A service that could not be reached at all; `cause` says why. */
export class ConnectError extends Error {
  override name = "ConnectError";
}
