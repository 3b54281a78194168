/** fd from which on a joined command finds the namespaces, behind those of the launcher. */
export const NET_FD = 5;

/** Arguments of `nsenter`: into the session's network, and as an ordinary user into its owner first, with all rights that mounts need. */
export function joinArgs(root: boolean, at: number = NET_FD): string[] {
  const user = [`--user=/proc/self/fd/${at + 1}`, "--preserve-credentials"];
  return [...(root ? [] : user), `--net=/proc/self/fd/${at}`, "--"];
}
