import type { RawPath } from "../util/bytes.ts";

/** One line of `git ls-files -s`, with what the index remembers of the file's stat. */
export interface IndexEntry {
  path: RawPath;
  mode: number;
  /** Object id, hex. */
  id: string;
  stage: number;
  /** Nanoseconds since 1970. */
  mtime: bigint;
  /** Modulo 2^32. */
  size: number;
}

/** Parses `.git/index` (versions 2 to 4). Throws for a damaged one and for a split index, whose other half is elsewhere. */
export function parseIndex(bytes: Buffer, idBytes: 20 | 32): IndexEntry[] {
  if (bytes.toString("latin1", 0, 4) !== "DIRC") throw new Error("index: no DIRC at its start");
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) throw new Error(`index: version ${version} is not known`);
  const entries: IndexEntry[] = [];
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const [entry, next] = readEntry(bytes, at, idBytes, version, entries.at(-1)?.path ?? "");
    entries.push(entry);
    at = next;
  }
  refuseSplit(bytes, at, idBytes);
  return entries;
}

function readEntry(bytes: Buffer, at: number, idBytes: number, version: number, last: RawPath): [IndexEntry, number] {
  const idAt = at + 40;
  const flags = bytes.readUInt16BE(idAt + idBytes);
  const nameAt = idAt + idBytes + ((flags & 0x4000) === 0 ? 2 : 4);
  const [path, next] = version === 4 ? shortName(bytes, nameAt, last) : plainName(bytes, at, nameAt);
  const mtime = BigInt(bytes.readUInt32BE(at + 8)) * 1_000_000_000n + BigInt(bytes.readUInt32BE(at + 12));
  const entry: IndexEntry = {
    path,
    mode: bytes.readUInt32BE(at + 24),
    id: bytes.toString("hex", idAt, idAt + idBytes),
    stage: (flags >> 12) & 3,
    mtime,
    size: bytes.readUInt32BE(at + 36),
  };
  return [entry, next];
}

function endOf(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from);
  if (end < 0) throw new Error("index: a name has no end");
  return end;
}

/** Versions 2 and 3: the entry is filled with NULs to a multiple of eight. */
function plainName(bytes: Buffer, start: number, nameAt: number): [RawPath, number] {
  const end = endOf(bytes, nameAt);
  return [bytes.toString("latin1", nameAt, end), start + ((end - start + 8) & ~7)];
}

/** Version 4: how many bytes of the name before to drop, then the rest. */
function shortName(bytes: Buffer, nameAt: number, last: RawPath): [RawPath, number] {
  let at = nameAt;
  let byte = bytes.readUInt8(at++);
  let drop = byte & 127;
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(at++);
    drop = ((drop + 1) << 7) + (byte & 127);
  }
  const end = endOf(bytes, at);
  return [last.slice(0, last.length - drop) + bytes.toString("latin1", at, end), end + 1];
}

function refuseSplit(bytes: Buffer, from: number, idBytes: number): void {
  for (let at = from; at + 8 <= bytes.length - idBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString("latin1", at, at + 4) === "link") throw new Error("index: split in two files");
  }
}
