import { fileURLToPath } from "node:url";
import type { ImageBlock } from "../../events/block.ts";
import type { Clock } from "../../util/deps.ts";
import { fitPicture, MOST_PICTURE_FILE } from "../../util/fit-picture.ts";
import { pictureType } from "../../util/picture.ts";
import { readRegular } from "../../util/regular-file.ts";
import { edit } from "../input/editor/edit.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

export interface PictureDeps {
  store: Store<ScreenState>;
  clock: Clock;
  cols: () => number;
  /** The clipboard's picture, or why there is none. */
  clipboard?: (() => Promise<Buffer | string>) | undefined;
}

const TOAST_MS = 6000;
/** What makes a picture smaller has a limit of its own. */
const NEVER = new AbortController().signal;

/** Pictures of the composer (IN-15): `[Image #1]` in a text stands for one, wherever that text goes before it is sent. */
export class Pictures {
  readonly #deps: PictureDeps;
  readonly #blocks: ImageBlock[] = [];

  constructor(deps: PictureDeps) {
    this.#deps = deps;
  }

  /** Looks whether a key or a paste asked for a picture. */
  sync(): void {
    const { incoming } = this.#deps.store.get();
    if (incoming === undefined) return;
    this.#deps.store.setNow((state) => ({ ...state, incoming: undefined }));
    void this.#take(incoming).catch((error: unknown) =>
      this.#say(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Those that a text names, each once. */
  of(words: string): ImageBlock[] {
    return this.#blocks.filter((_, at) => words.includes(nameOf(at + 1)));
  }

  async #take({ paste }: NonNullable<ScreenState["incoming"]>): Promise<void> {
    if (paste === undefined) {
      const got = (await this.#deps.clipboard?.()) ?? "There is no clipboard here.";
      return typeof got === "string" ? this.#say(got) : await this.#put(got, "");
    }
    const path = picturePath(paste);
    if (path === undefined) return;
    // What is no picture, or not there, stays the text that it is.
    const bytes = await readRegular(path, { follow: true, most: MOST_PICTURE_FILE }).catch(() => undefined);
    if (bytes !== undefined && pictureType(bytes) !== undefined) await this.#put(bytes, paste);
  }

  async #put(bytes: Buffer, instead: string): Promise<void> {
    const type = pictureType(bytes);
    const fitted = type === undefined ? "is no PNG, JPEG, GIF or WebP" : await fitPicture(bytes, type, NEVER);
    if (typeof fitted === "string") return this.#say(`The picture was not taken: it ${fitted}.`);
    const data = fitted.bytes.toString("base64");
    const source = { type: "base64" as const, media_type: `image/${fitted.type}`, data };
    const n = this.#blocks.length + 1;
    const size = `${fitted.width}×${fitted.height}`;
    this.#blocks.push({ type: "image", source, attached: `Image #${n} ${size}` });
    const env = { at: this.#deps.clock.now(), width: this.#deps.cols() };
    const op = { op: "chip", text: nameOf(n), label: `[Image #${n} ${size}]`, instead } as const;
    this.#deps.store.setNow((state) => ({ ...state, editor: edit(state.editor, op, env) }));
  }

  #say(text: string): void {
    const until = this.#deps.clock.now() + TOAST_MS;
    this.#deps.store.setNow((state) => ({ ...state, toast: { text, until } }));
  }
}

function nameOf(n: number): string {
  return `[Image #${n}]`;
}

/** The path that terminals paste for a dropped file: quoted, with backslashes before blanks, or as a URL. undefined: it names no picture. */
export function picturePath(paste: string): string | undefined {
  const text = paste.trim();
  if (text.includes("\n") || text.length > 4000) return undefined;
  const bare = /^(['"]).*\1$/.test(text) ? text.slice(1, -1) : text.replaceAll(/\\(.)/g, "$1");
  if (!/^(?:file:\/\/)?\/.*\.(?:png|jpe?g|gif|webp)$/i.test(bare)) return undefined;
  if (!bare.startsWith("file://")) return bare;
  try {
    return fileURLToPath(bare);
  } catch {
    return undefined;
  }
}
