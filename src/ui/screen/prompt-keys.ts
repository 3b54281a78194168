import { type Arming, ARMING_MS } from "../input/arming.ts";
import type { InputEvent, Key } from "../input/key.ts";
import { insert } from "../prompt/field.ts";
import { mayEdit, tabOf } from "../prompt/options.ts";
import { permissionKey } from "../prompt/permission.ts";
import { personKey, personPaste, type PersonPrompt } from "../prompt/person.ts";
import { labelled } from "../input/editor/buffer.ts";
import type { KeyContext } from "./composer-keys.ts";
import { promptLayout } from "./frame.ts";
import { hasDraft, type OpenPrompt, type ScreenState } from "./state.ts";

type KeyEvent = Extract<InputEvent, { kind: "key" }>;
type Permission = Extract<OpenPrompt, { kind: "permission" }>;
/** They never answer, and no text that is being written begins with them: they need no arming. */
const MOVING = new Set(["up", "down", "left", "right", "pageup", "pagedown", "home", "end"]);
/**
 * They never answer either, but may be the first sign of a text: they count once the question was there for a while. What is opened for
 * a yes or for other words may end in something that runs, so that counts only as an answer does.
 */
const OPENING = new Set(["p", "r", "e", "o", "tab"]);
/** Keys that the screen itself has a meaning for, whatever is open. */
const APART = new Set(["c", "d", "l", "z"]);

/**
 * A key while a question is open. `counts`: it came late enough and alone (P-4). undefined: the key is for the draft or for the
 * screen, `state` then tells what the prompt thinks of it.
 */
export function promptKeys(
  state: ScreenState,
  event: KeyEvent,
  counts: boolean,
  context: KeyContext & { rows: number },
): { state: ScreenState; used: boolean } {
  const open = state.prompts[0];
  const { key } = event;
  if (open === undefined || (key.ctrl && APART.has(key.name))) return { state, used: false };
  if (!state.focused) {
    if (counts && state.again === key.name && labelled(state.editor) === key.name) {
      return onKey(
        { ...state, editor: { ...state.editor, text: "", cursor: 0 }, focused: true, again: undefined },
        open,
        event,
        context,
      );
    }
    if (key.ctrl && key.name === "y") return { state: { ...state, focused: true, again: undefined }, used: true };
    return { state: { ...withoutHint(state, open), again: undefined }, used: false };
  }
  if (key.shift && key.name === "tab" && !typing(open)) return { state, used: false };
  if (typing(open) || counts || answersNothing(open, event, state)) return onKey(state, open, event, context);
  return tooEarly(state, open, event);
}

/** Only what answers has to be armed (P-4): arrows and Space may come as fast as they like. */
function answersNothing(open: OpenPrompt, { key, at }: KeyEvent, { arming }: ScreenState): boolean {
  if (MOVING.has(key.name)) return true;
  if (open.kind === "person") return writesOrTicks(open.prompt, key) && (key.name === "space" || wasThere(arming, at));
  if (open.prompt.opened !== undefined) return true;
  if (key.ctrl || key.alt) return key.ctrl && (key.name === "o" || key.name === "e") && wasThere(arming, at);
  if (key.name === "tab" && tabOf(open.prompt) === "yes") return false;
  if (key.name === "e" && mayEdit(open.prompt) !== "rule") return false;
  if (key.name === "space") return true;
  const choosing = open.prompt.part !== undefined;
  if (choosing && (key.name === "return" || key.name === "escape")) return true;
  return OPENING.has(key.name) && wasThere(arming, at);
}

function wasThere({ shownAt }: Arming, at: number): boolean {
  return shownAt !== undefined && at - shownAt >= ARMING_MS;
}

/** Only Enter answers, and a digit where one option is chosen; any other letter is a tick or own words, which all see. */
function writesOrTicks({ question, row }: PersonPrompt, { name, text }: Key): boolean {
  if (question.multiple === true && name === "space") return true;
  const chooses = question.multiple !== true && row < question.options.length && /^[1-9]$/.test(name);
  return text !== undefined && text.trim() !== "" && name !== "return" && !chooses;
}

function withoutHint(state: ScreenState, open: OpenPrompt): ScreenState {
  if (open.prompt.hint === undefined) return state;
  if (open.kind === "person") {
    const { hint: _, ...prompt } = open.prompt;
    return withPrompt(state, { ...open, prompt });
  }
  const { hint: _, ...prompt } = open.prompt;
  return withPrompt(state, { ...open, prompt });
}

function typing(open: OpenPrompt): boolean {
  return open.kind === "permission" ? open.prompt.typing !== undefined : open.prompt.field.text !== "";
}

/** What came too early goes to the draft; a lone answer key may be pressed again (P-4). */
function tooEarly(state: ScreenState, open: OpenPrompt, { key }: KeyEvent): { state: ScreenState; used: boolean } {
  const hint = "Not answered: press again";
  const hinted =
    open.kind === "permission"
      ? withPrompt(state, { ...open, prompt: { ...open.prompt, hint } })
      : withPrompt(state, { ...open, prompt: { ...open.prompt, hint } });
  // A blank alone is no text: as a draft nobody would see it, and it would keep the keys.
  if (key.text === undefined || (key.text.trim() === "" && !hasDraft(state))) return { state: hinted, used: true };
  const lone = state.editor.text === "" && /^[a-z0-9]$/.test(key.name);
  return { state: { ...hinted, focused: false, again: lone ? key.name : undefined }, used: false };
}

function onKey(
  state: ScreenState,
  open: OpenPrompt,
  event: KeyEvent,
  context: KeyContext & { rows: number },
): { state: ScreenState; used: boolean } {
  if (open.kind === "person") {
    const step = personKey(open.prompt, event.key);
    if (step.answer !== undefined) context.actions.answerPerson(open, step.answer);
    return { state: withPrompt(state, { ...open, prompt: step.prompt }), used: step.used };
  }
  const sight = promptLayout(state, context.cols, context.rows)?.sight;
  if (sight === undefined) return { state, used: false };
  const step = permissionKey(open.prompt, event.key, sight);
  if (step.open !== undefined) context.actions.openFile(open, step.open);
  if (step.explain === true) context.actions.explain(open);
  if (step.review === true) context.actions.review?.(open);
  if (step.rewrite === true) context.actions.rewrite?.(open);
  if (step.self === true) context.actions.runSelf(open);
  if (step.answer !== undefined) context.actions.answer(open, step.answer);
  return { state: withPrompt(state, { ...open, prompt: step.prompt }), used: step.used };
}

/** The prompt in the place of the one with its key; it may be gone already. */
export function withPrompt(state: ScreenState, open: OpenPrompt): ScreenState {
  return { ...state, prompts: state.prompts.map((p) => (p.key === open.key ? open : p)) };
}

/** Pasted text goes into an open field of the question; undefined: it is for the draft. It never answers. */
export function promptPaste(state: ScreenState, text: string, at: number): ScreenState | undefined {
  const open = state.prompts[0];
  if (open === undefined || !state.focused) return undefined;
  if (open.kind === "person") {
    if (!typing(open) && !wasThere(state.arming, at)) return undefined;
    return withPrompt(state, { ...open, prompt: personPaste(open.prompt, text) });
  }
  if (!typing(open)) return undefined;
  const { typing: line } = open.prompt;
  if (line === undefined) return undefined;
  const field = insert(line.field, text);
  return withPrompt(state, { ...open, prompt: { ...open.prompt, typing: { ...line, field } } });
}

/** After a frame with the question was handed to the terminal: its rows count as seen. */
export function sawPrompt(state: ScreenState, cols: number, rows: number): ScreenState {
  const open = state.prompts[0];
  const laid = promptLayout(state, cols, rows);
  if (open?.kind !== "permission" || laid === undefined) return state;
  const fresh = laid.visible.filter((name) => !open.prompt.seen.has(name));
  if (fresh.length === 0 && open.prompt.scroll === laid.scroll) return state;
  const seen = new Set([...open.prompt.seen, ...fresh]);
  const prompt: Permission["prompt"] = { ...open.prompt, seen, scroll: laid.scroll };
  return withPrompt(state, { ...open, prompt });
}
