import { ordinaryUser } from "./as-user.ts";

/** Why this process can't look at files as an ordinary user does, or undefined. */
export function missingUser(): string | undefined {
  return ordinaryUser() === undefined || process.seteuid === undefined ? "no ordinary user" : undefined;
}

/** Does something as an ordinary user: permissions count. */
export async function asUser<T>(act: () => Promise<T>): Promise<T> {
  const [user, uid, gid] = [ordinaryUser(), process.geteuid?.(), process.getegid?.()];
  if (user === undefined || uid === undefined || gid === undefined || uid !== 0) return act();
  process.setegid?.(user.gid);
  process.seteuid?.(user.uid);
  try {
    return await act();
  } finally {
    process.seteuid?.(uid);
    process.setegid?.(gid);
  }
}
