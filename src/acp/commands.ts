import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { Effort } from "../events/event.ts";
import type { ChangeReport, Session } from "../session/session.ts";
import { trustRows } from "../session/trust-words.ts";
import type { TrustLook } from "../session/trust.ts";

/** A command that an editor offers behind a slash. */
interface Command {
  name: string;
  description: string;
  hint?: string;
  /** What is said to the person. Throws Error with one readable line. */
  run(args: string, session: Session, at: Place): Promise<string>;
}

/** What a command may use beside the session. */
export interface Place {
  signal: AbortSignal;
  /** What `/trust` showed last: a yes is to that. */
  looked: { trust?: TrustLook };
}

const said = ({ text }: ChangeReport): string => text;
const first = (args: string): string | undefined => args.split(/\s+/).find((word) => word !== "");

export const COMMANDS: readonly Command[] = [
  {
    name: "undo",
    description: "Takes back the newest step that landed, or the one named",
    hint: "[id]",
    run: async (args, session) => said(await session.undo(first(args))),
  },
  {
    name: "redo",
    description: "Does again what was undone last, or the step named",
    hint: "[id]",
    run: async (args, session) => said(await session.redo(first(args))),
  },
  {
    name: "changes",
    description: "The steps that landed in this session, with the ids that /undo takes",
    run: async (_args, session) => {
      const steps = await session.steps();
      if (steps.length === 0) return "Nothing has landed in this session yet.";
      return steps.map((step) => `${step.operationId} ${step.undone ? "undone" : "landed"}: ${step.text}`).join("\n");
    },
  },
  {
    name: "rehearse",
    description: "Changes wait in the copy for one review, or land step by step",
    hint: "on|off",
    run: async (args, session) =>
      args === "on" || args === "off"
        ? said(await session.setRehearsal(args === "on"))
        : "/rehearse on lets changes wait for one review, /rehearse off lets them land step by step.",
  },
  {
    name: "land",
    description: "Reviews and lands what is pending, or what the copy keeps",
    hint: "[drop]",
    run: async (args, session, { signal }) => said(await session.land(args === "drop" ? { drop: true } : {}, signal)),
  },
  {
    name: "model",
    description: "The model that answers",
    hint: "NAME",
    run: async (args, session) => (args === "" ? `The model is ${session.state().model}.` : session.setModel(args)),
  },
  {
    name: "effort",
    description: "How long the model thinks",
    hint: "low|medium|high|default",
    run: async (args, session) => {
      const effort = Effort.safeParse(args).data;
      if (effort === undefined && args !== "default") return "/effort low, medium, high or default.";
      return session.setEffort(effort);
    },
  },
  {
    name: "compact",
    description: "Sums older messages up, to make room",
    hint: "[what to keep]",
    run: async (args, session) => said(await session.context.compact(args === "" ? undefined : args)),
  },
  {
    name: "clear",
    description: "Forgets the conversation; files and undo stay",
    run: async (_args, session) => {
      await session.clear();
      return "The model starts afresh. What landed can still be undone.";
    },
  },
  {
    name: "cost",
    description: "Tokens and money so far",
    run: (_args, session) => Promise.resolve(costWords(session)),
  },
  {
    name: "trust",
    description: "What the folder brings, and whether it is used",
    hint: "[yes|no]",
    run: trust,
  },
  {
    name: "mcp",
    description: "Tool servers, how they stand and why",
    run: (_args, session) => {
      const rows = session.servers
        .rows()
        .map(
          ({ name, status, why, needsAuth }) =>
            `${name}: ${needsAuth === true ? "not there" : status}${why === undefined ? "" : `, ${why}`}`,
        );
      return Promise.resolve(rows.length === 0 ? "There are no tool servers." : rows.join("\n"));
    },
  },
];

/** What an editor lists: our own, and the skills and commands of files that the person may run. */
export async function availableCommands(session: Session): Promise<AvailableCommand[]> {
  const skills = (await session.beside.texts?.skills())?.skills ?? [];
  return [
    ...COMMANDS.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === undefined ? {} : { input: { hint } }),
    })),
    ...skills
      .filter(({ name, byPerson }) => byPerson && COMMANDS.every((own) => own.name !== name))
      .map(({ name, description, hint = "what to do" }) => ({
        name,
        description: description.slice(0, 200),
        input: { hint },
      })),
  ];
}

/** The command that a message is, or undefined: then it is for the model, skills too. */
export function commandIn(words: string): { command: Command; args: string } | undefined {
  const [, name, args = ""] = /^\/([a-z-]+)(?:\s+([^]*))?$/.exec(words.trim()) ?? [];
  const command = COMMANDS.find((one) => one.name === name);
  return command === undefined ? undefined : { command, args: args.trim() };
}

function costWords(session: Session): string {
  const { models, usd } = session.cost();
  if (models.length === 0) return "Nothing was sent to a model yet.";
  const rows = models.map(
    ({ model, usage }) =>
      `${model}: ${usage.input} in, ${usage.output} out, ${usage.cacheRead} from the cache, ${usage.cacheWrite} written to it`,
  );
  return [...rows, usd === undefined ? "Its price is not known." : `In all $${usd.toFixed(4)}.`].join("\n");
}

async function trust(args: string, session: Session, { looked }: Place): Promise<string> {
  if (args === "no") return said(await session.trust.takeBack());
  const before = looked.trust;
  if (args === "yes" && before !== undefined) return said(await session.trust.give(before));
  const look = await session.trust.look();
  if (look === undefined) return "This session's folder brings nothing that is used.";
  looked.trust = look;
  const state = session.state().trusted
    ? "This folder is trusted; /trust no takes it back."
    : "This folder is not trusted.";
  const rows = trustRows(look).map(({ text }) => text);
  return [
    state,
    ...rows,
    ...(session.state().trusted ? [] : ["/trust yes uses what is listed, until what runs changes."]),
  ].join("\n");
}
