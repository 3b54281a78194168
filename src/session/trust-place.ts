import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { isBelow } from "../workspace/roots.ts";

/** Who is asked, and where their homes are. */
export interface Person {
  /** As the environment and the system name it. */
  homes: readonly string[];
  uid: number;
}

/** Why a folder is asked about whatever it brings. `keeps`: a yes may be remembered all the same. */
export interface PlaceReason {
  why: string;
  keeps: boolean;
}

/** What is special about starting in a folder: it holds the home, everybody writes there, or it is another user's. */
export function placeReasons(folder: string, { homes, uid }: Person): PlaceReason[] {
  return [...homeReasons(folder, homes), ...sharedReasons(folder), ...ownerReasons(folder, uid)];
}

/** The home as it really lies, as the environment and the system name it. */
export function realHomes(homes: readonly string[]): string[] {
  return [...new Set(homes.filter((home) => home !== "" && home !== "/").map(realOr))];
}

/** Whether the home lies in a folder, or is it. */
export function holdsHome(folder: string, homes: readonly string[]): boolean {
  return folder === "/" || realHomes(homes).some((home) => isBelow(folder, home));
}

function homeReasons(folder: string, homes: readonly string[]): PlaceReason[] {
  if (folder === "/") return [{ why: "This is /: the whole machine would be the project.", keeps: false }];
  if (!holdsHome(folder, homes)) return [];
  const is = realHomes(homes).includes(folder);
  const why = is
    ? "This is your home folder: everything of yours would be the project."
    : "Your home folder lies in here: everything of yours would be in the project.";
  return [{ why, keeps: false }];
}

const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

/** Where others may write, what lies there can be another thing each time. */
function sharedReasons(folder: string): PlaceReason[] {
  if ((lstatSync(folder).mode & OTHERS_WRITE) !== 0)
    return [{ why: "Every user of this machine may write here.", keeps: false }];
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) {
    const { mode } = lstatSync(at);
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      return [{ why: `Every user of this machine may put another folder in its place, by ${at}.`, keeps: false }];
  }
  return [];
}

function ownerReasons(folder: string, uid: number): PlaceReason[] {
  const owner = lstatSync(folder).uid;
  return owner === uid ? [] : [{ why: `It belongs to another user of this machine (uid ${owner}).`, keeps: true }];
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
