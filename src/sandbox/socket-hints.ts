/** What programs say of a unix socket that they may not make, bind or reach. */
const REFUSED = [
  /EAFNOSUPPORT|address family not supported|\[Errno 97\]|os error 97\b/i,
  /^.*(\.sock\b|\bunix\b).*(EACCES|EPERM|permission denied|operation not permitted)/im,
  /(EACCES|EPERM|permission denied|operation not permitted).*(\.sock\b|\bunix\b)/i,
];

/** For a background shell, which has no unix sockets. */
export function socketHints(output: string): string[] {
  if (!REFUSED.some((pattern) => pattern.test(output))) return [];
  return [
    "a background shell can't use unix sockets, by path or abstract (pairs of its own streams work): have the program use a TCP port on 127.0.0.1 instead, which later commands reach as well",
  ];
}
