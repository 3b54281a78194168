/** A place in a person's words that may name a file. */
export interface Mention {
  /** Ways to read it, the longest name first: what stands behind a name may be part of it. */
  readings: readonly { path: string; lines?: { from: number; to: number } }[];
}

/** Before an `@` that may begin a name: nothing, a blank, an opening sign; Chinese and Japanese write none of them. */
const BEFORE = /(?:^|[\s([{<"'`=,;:]|[\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65])$/u;
/** Where a sentence without blanks goes on. */
const CJK = /[\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65]/u;
const END = /[.,;:!?)\]}>"'`\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]$/u;
const LINES = /(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?$/;

/** So many are looked at: a pasted log may hold any number of them, and each may be a file. */
const MOST = 2000;

/** What a text names by `@path`, `@path:10-20` or `@"a path with blanks"`. Whether there are such files is another question. Pure. */
export function mentionsIn(words: string): Mention[] {
  const found: Mention[] = [];
  for (let at = words.indexOf("@"); at >= 0 && found.length < MOST; at = words.indexOf("@", at + 1)) {
    if (!BEFORE.test(words.slice(Math.max(0, at - 2), at))) continue;
    const rest = words.slice(at + 1, at + 5000);
    const quoted = /^"([^"\n]+)"((?::|#L)\d+(?:-L?\d+)?)?/.exec(rest);
    const whole = quoted === null ? (/^[^\s@]\S*/.exec(rest)?.[0] ?? "") : `${quoted[1] ?? ""}${quoted[2] ?? ""}`;
    if (whole !== "") found.push({ readings: readings(whole, quoted === null) });
  }
  return found;
}

function readings(whole: string, trims: boolean): Mention["readings"] {
  const names = trims ? [whole, withoutEnd(whole), withoutEnd(whole.split(CJK)[0] ?? "")] : [whole];
  const all = names.flatMap((name) => {
    const range = LINES.exec(name);
    const [from, to] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])];
    const part =
      range === null || from < 1 || to < from ? [] : [{ path: name.slice(0, range.index), lines: { from, to } }];
    return [{ path: name }, ...part];
  });
  const seen = new Set<string>();
  return all.filter(({ path, ...more }) => {
    const key = JSON.stringify([path, more]);
    if (path === "" || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Sign by sign: a pattern would look at each run of them within a name again from each of its signs. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && END.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** A mention that is being typed. */
export interface OpenMention {
  /** Where its `@` stands. */
  from: number;
  /** What was typed of the path. */
  query: string;
}

/** The mention at the end of a text, where its path may still grow: none with a blank, a closing quote or a range of lines. */
export function openMention(before: string): OpenMention | undefined {
  const found = /@(?:"([^"\n]*)|([^\s"@]*))$/.exec(before.slice(-1000));
  if (found === null) return undefined;
  const from = Math.max(0, before.length - 1000) + found.index;
  if (!BEFORE.test(before.slice(Math.max(0, from - 2), from))) return undefined;
  const query = found[1] ?? found[2] ?? "";
  return LINES.test(query) ? undefined : { from, query };
}

/** A path as it is written behind `@`: in quotes where it has blanks or ends as a sentence does. */
export function mentionOf(path: string): string {
  return /\s/.test(path) || END.test(path) ? `@"${path}"` : `@${path}`;
}
