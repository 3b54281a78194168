export type LogErrorCode =
  /** Another process has the session open. */
  | "locked"
  /** Written by another version of the program. */
  | "newer"
  /** Nothing of it can be used. */
  | "damaged"
  /** Its owner, mode or kind says that someone else may have a hand in it. */
  | "unsafe"
  | "missing"
  | "exists"
  | "too-large"
  /** The disk said no; the log takes nothing more. */
  | "write"
  | "closed"
  /** A mistake of the caller: the event or the id can't be taken. The log goes on. */
  | "invalid";

/** A file of the session store that can't be used or written. The message names the file, the line where there is one, and what to do. */
export class LogError extends Error {
  readonly code: LogErrorCode;
  readonly file: string;

  constructor(code: LogErrorCode, file: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LogError";
    this.code = code;
    this.file = file;
  }
}

/** What the person typed names no session, or several: theirs to mend. */
export class NoSessionError extends LogError {
  constructor(code: "missing" | "invalid", file: string, message: string) {
    super(code, file, message);
    this.name = "NoSessionError";
  }
}

/** The system's own word for what went wrong, such as ENOSPC. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EIO: "input/output error of the device",
  EMFILE: "too many open files",
  ELOOP: "it is a symbolic link",
};

/** A system error in words, with its code. */
export function inWords(error: unknown): string {
  const code = errno(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  return `${WORDS[code] ?? (error instanceof Error ? error.message : code)} (${code})`;
}
