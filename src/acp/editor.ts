import type {
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";

/** The editor on the other side, as a session of it sees it. */
export interface Editor {
  /** What it can do, as it said. */
  can: ClientCapabilities;
  /** Resolves when it is on its way; never rejects, whoever is gone. */
  tell(update: SessionUpdate): Promise<void>;
  /** Rejects where there is no answer. */
  askPermission(
    request: Omit<RequestPermissionRequest, "sessionId">,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse>;
  /** undefined: it has no forms. */
  askForm?: (request: CreateElicitationRequest, signal: AbortSignal) => Promise<CreateElicitationResponse>;
  /** Aborted once it is gone. */
  gone: AbortSignal;
}

/** What an answer is waited for with; the editor may never give one. Rejects when `signal` is aborted. */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error("nobody waits for the answer any more"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
