import type { GitEffect } from "../events/effect.ts";
import { showPath } from "../util/bytes.ts";
import { quoted } from "../util/quoted.ts";
import type { Commit, Objects } from "./git.ts";
import type { Head, Refs } from "./git-refs.ts";

/** Commits told one by one; the rest is counted. */
const TOLD = 5;
const MAX_COMMITS = 1000;
const ID = /^[0-9a-f]+$/;

/** A repository's refs and objects on both sides of a step; objects are undefined where git is not installed. */
export interface Sides {
  before: Refs;
  after: Refs;
  objectsBefore: Objects | undefined;
  objectsAfter: Objects | undefined;
}

export function shortId(id: string): string {
  return id.slice(0, 7);
}

const medium = (text: string): GitEffect => ({ text, high: false });
const high = (text: string): GitEffect => ({ text, high: true });

/** "branch x", "tag v1", "remote branch origin/x", or the full name. */
export function nameRef(ref: string): string {
  const known = [
    ["refs/heads/", "branch "],
    ["refs/tags/", "tag "],
    ["refs/remotes/", "remote branch "],
  ] as const;
  const found = known.find(([prefix]) => ref.startsWith(prefix));
  return found === undefined ? quoted(showPath(ref)) : found[1] + quoted(showPath(ref.slice(found[0].length)));
}

function branchName(ref: string | undefined): string {
  return ref === undefined ? "a detached HEAD" : quoted(showPath(ref.replace(/^refs\/heads\//, "")));
}

/** Ids that the refs and HEAD of one side stand on. */
function idsOf(refs: Refs): string[] {
  const ids = [...refs.all.values(), refs.head?.id ?? ""].filter((id) => ID.test(id));
  return [...new Set(ids)];
}

/** What became of refs and HEAD, in words. */
export async function judgeMoves(sides: Sides): Promise<GitEffect[]> {
  const effects: GitEffect[] = [];
  const names = new Set([...sides.before.all.keys(), ...sides.after.all.keys()]);
  for (const ref of [...names].toSorted()) {
    const [old, now] = [sides.before.all.get(ref), sides.after.all.get(ref)];
    if (old !== now) effects.push(...(await judgeRef(sides, ref, old, now)));
  }
  return [...effects, ...(await judgeHead(sides))];
}

async function judgeRef(sides: Sides, ref: string, old?: string, now?: string): Promise<GitEffect[]> {
  if (ref === "refs/stash")
    return [high(now === undefined ? "stash emptied" : "work put on the stash or taken from it")];
  const name = nameRef(ref);
  if (now === undefined) return [high(`${name} deleted (was ${shortId(old ?? "")})`)];
  if (ref.startsWith("refs/replace/")) return [high(`${name} made, which swaps one object for another`)];
  if (old === undefined)
    return [medium(`${name} created`), ...(await newCommits(sides, ref, now, idsOf(sides.before)))];
  const moved = `${name} moved from ${shortId(old)} to ${shortId(now)}`;
  if (!ID.test(old) || !ID.test(now) || ref.startsWith("refs/tags/")) return [high(moved)];
  return forward(sides, ref, old, now, moved);
}

/** A branch that moved: on along its own history, or otherwise. */
async function forward(sides: Sides, ref: string, old: string, now: string, moved: string): Promise<GitEffect[]> {
  if (sides.objectsAfter === undefined) return [high(`${moved} (without git nobody can tell how)`)];
  const ahead = await sides.objectsAfter.isAncestor(old, now);
  if (ahead !== true) return [high(`${moved}, not forward: a reset, amend, rebase or force`)];
  const told = await newCommits(sides, ref, now, [old]);
  return told.length > 0 ? told : [medium(`fast-forward ${branchName(ref)} ${shortId(old)}..${shortId(now)}`)];
}

/** Commits that this step made and `now` reaches. */
async function newCommits(sides: Sides, ref: string | undefined, now: string, not: string[]): Promise<GitEffect[]> {
  const { objectsBefore, objectsAfter } = sides;
  if (objectsBefore === undefined || objectsAfter === undefined || !ID.test(now)) return [];
  const known = await objectsBefore.existing([now]);
  if (known?.has(now) === true) return [];
  const reached = await objectsAfter.commits(now, not, MAX_COMMITS);
  const old = await objectsBefore.existing((reached ?? []).map((c) => c.id));
  if (reached === undefined || old === undefined) return [high(`${shortId(now)} can't be read`)];
  const made = reached.filter((c) => !old.has(c.id));
  const lines = made.slice(0, TOLD).map((c) => medium(tellCommit(c, ref)));
  const rest = made.length > TOLD ? [medium(`${made.length - TOLD} more commits on ${branchName(ref)}`)] : [];
  return [...lines, ...rest];
}

/** Signs by which a subject could pass for the sentence around it, or for another one. */
const LIKE_A_NOTE = /["[\]<>;]|[.!?,] /;

function tellCommit(commit: Commit, ref: string | undefined): string {
  const kind = commit.parents.length > 1 ? "merge commit" : "commit";
  const subject = commit.subject.length > 100 ? `${commit.subject.slice(0, 99)}…` : commit.subject;
  return `${kind} ${shortId(commit.id)} on ${branchName(ref)}: ${LIKE_A_NOTE.test(subject) ? quoted(subject) : subject}`;
}

async function judgeHead(sides: Sides): Promise<GitEffect[]> {
  const [old, now] = [sides.before.head, sides.after.head];
  if (now === undefined) return old === undefined ? [] : [high("HEAD is damaged or gone")];
  if (old === undefined || (old.ref === now.ref && old.id === now.id)) return [];
  if (old.ref !== undefined && old.ref === now.ref) return [];
  const to = now.ref === undefined ? `${shortId(now.id ?? "")} (detached)` : branchName(now.ref);
  if (old.ref !== undefined) return [medium(`switched to ${to}`), ...(await onDetached(sides, now))];
  return leaveDetached(sides, old, now, to);
}

async function onDetached(sides: Sides, now: Head): Promise<GitEffect[]> {
  return now.ref === undefined && now.id !== undefined ? newCommits(sides, undefined, now.id, idsOf(sides.before)) : [];
}

/** HEAD stood on a commit itself: what it leaves behind must be held by something else. */
async function leaveDetached(sides: Sides, old: Head, now: Head, to: string): Promise<GitEffect[]> {
  const oldId = old.id ?? "";
  if (now.ref === undefined && now.id !== undefined && sides.objectsAfter !== undefined) {
    const made = await newCommits(sides, undefined, now.id, [oldId]);
    if (made.length > 0 && (await sides.objectsAfter.isAncestor(oldId, now.id)) === true) return made;
  }
  const lost = await sides.objectsAfter?.commits(oldId, idsOf(sides.after), 1);
  if (lost?.length === 0) return [medium(`switched to ${to}`), ...(await onDetached(sides, now))];
  return [high(`switched to ${to}, away from ${shortId(oldId)}, which no branch holds`)];
}
