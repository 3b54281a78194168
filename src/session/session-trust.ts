import type { EventLog } from "../events/log.ts";
import type { OpenOptions } from "./options.ts";
import type { ChangeReport } from "./session.ts";
import { isExecutable, partsList, partsText } from "./trust-part.ts";
import type { TrustLook } from "./trust.ts";

/** Trust in the folder, as a session tells and changes it (H5). */
export interface SessionTrust {
  /** What the folder brings and is not used, a few words for each kind; empty where it is trusted. */
  unused(): readonly string[];
  /** The folder as it is now; undefined in a session that no folder's trust belongs to. */
  look(): Promise<TrustLook | undefined>;
  /** The person's yes to what they were shown. */
  give(look: TrustLook): Promise<ChangeReport>;
  /** Nothing of the folder's is used from here on, nor by later sessions before they are told so. */
  takeBack(): Promise<ChangeReport>;
}

interface Parts {
  log: EventLog;
  options: Pick<OpenOptions, "trust" | "trusted">;
  /** The folder as it was when the session was opened. */
  trust?: TrustLook;
}

/** Says in the log whether the folder is trusted as it is now. Gives what was looked at. */
export async function openTrust({ log, options }: Omit<Parts, "trust">): Promise<TrustLook | undefined> {
  const look = await options.trust?.look();
  const by = options.trusted ?? look?.by;
  const { folder } = log.state;
  if (by === undefined) return look;
  await log.append({ type: "trust.given", folder, by, ...(look === undefined ? {} : { parts: look.survey.hash }) });
  if (look !== undefined) options.trust?.told(look);
  return look;
}

/** What is said of it when the session opens. */
export function trustNotices(look: TrustLook | undefined): string[] {
  if (look === undefined) return [];
  const { state, survey, texts } = look;
  // Of settings that can't be read who reads their rules has told.
  const problems = survey.problems.filter((problem) => !/^\.(agent|claude)\/settings(\.local)?\.json: /.test(problem));
  const other = texts.map(({ what, id }) => `${id.replace(/^\w+ /, "")} (${what})`);
  const said =
    state === "trusted"
      ? other.length === 0
        ? []
        : [
            `Other than when you trusted this folder: ${listed(other)}. It is used all the same: read it, where it is not from you.`,
          ]
      : survey.parts.length === 0
        ? []
        : [`Not used, since this folder is not trusted: ${partsText(survey.parts)}. ${HOW}`];
  return [
    ...said,
    ...problems.slice(0, 5),
    ...(problems.length > 5 ? [`and ${problems.length - 5} more that are not used`] : []),
  ];
}

const HOW = "/trust or agent trust add trusts it, --trust-folder for one run.";

function listed(names: readonly string[]): string {
  return names.slice(0, 5).join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
}

/** The trust of an open session. */
export function sessionTrust({ log, options, trust: opened }: Parts): SessionTrust {
  const { trust } = options;
  return {
    unused: () => (opened === undefined || log.state.trusted ? [] : partsList(opened.survey.parts)),
    look: async () => trust?.look(),
    async give(look) {
      if (trust === undefined) return { ok: false, text: "This session's folder can't be trusted here.", paths: [] };
      const problem = trust.say(true, look);
      const { folder } = log.state;
      await log.append({ type: "trust.given", folder, by: "person", parts: look.survey.hash });
      const kept =
        problem === undefined ? (look.keeps ? "" : " For this start only.") : ` For this start only: ${problem}`;
      const late = look.survey.parts.some(isExecutable)
        ? " What is read at the start counts from the next start on."
        : "";
      return { ok: true, text: `${folder} is trusted.${kept}${late}`, paths: [] };
    },
    async takeBack() {
      const had = trust?.forget() === true;
      const { folder, trusted } = log.state;
      if (trusted) await log.append({ type: "trust.ended", folder, reason: "you took it back" });
      return had || trusted
        ? {
            ok: true,
            text: `${folder} is no longer trusted: nothing it brings is used, and the next start asks.`,
            paths: [],
          }
        : { ok: false, text: `${folder} is not trusted.`, paths: [] };
    },
  };
}
