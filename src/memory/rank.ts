/** Something that can be relevant: a title counts thrice. */
export interface Ranked {
  title: string;
  body: string;
}

const K1 = 1.2;
const B = 0.75;
const TITLE = 3;
/** Words that say nothing of what a text is about. */
const STOP = new Set(
  "a an and are as at be but by can do does for from had has have how i if in into is it its me my no not of on or our please so that the their them then there these they this to up use was we what when where which who why will with would you your".split(
    " ",
  ),
);

/** Texts by how well they fit some words, best first (BM25); those that share no word are left out. Pure. */
export function ranked<T extends Ranked>(texts: readonly T[], words: string): { item: T; score: number }[] {
  const asked = [...new Set(termsOf(words))];
  const all = texts.map((item) => {
    const terms = [...Array.from({ length: TITLE }, () => termsOf(item.title)).flat(), ...termsOf(item.body)];
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    return { item, counts, length: terms.length };
  });
  const average = all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length);
  const weightOf = (term: string): number => {
    const having = all.filter(({ counts }) => counts.has(term)).length;
    return having === 0 ? 0 : Math.log(1 + (all.length - having + 0.5) / (having + 0.5));
  };
  const weights = asked.map((term) => [term, weightOf(term)] as const).filter(([, weight]) => weight > 0);
  return all
    .map(({ item, counts, length }) => {
      const score = weights.reduce((sum, [term, weight]) => {
        const n = counts.get(term) ?? 0;
        return sum + (weight * n * (K1 + 1)) / (n + K1 * (1 - B + (B * length) / Math.max(1, average)));
      }, 0);
      return { item, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

/** Words without their endings, names taken apart (`useEffect`, `src/a-b.ts`), small letters; two-letter pairs where words aren't parted by blanks. */
export function termsOf(text: string): string[] {
  const apart = text
    .normalize("NFKC")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase();
  return [...apart.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(([word]) => {
    if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(word)) return pairsOf(word);
    return word.length < 2 || word.length > 60 || STOP.has(word) ? [] : [stemOf(word)];
  });
}

function pairsOf(word: string): string[] {
  const signs = Array.from(word);
  return signs.length < 2 ? signs : signs.slice(1).map((sign, i) => `${signs[i] ?? ""}${sign}`);
}

/** The same for one word in its everyday forms; rough on purpose. */
function stemOf(word: string): string {
  if (word.length < 5) return word.replace(/(?<=..)s$/, "");
  return word.replace(/(ations?|ings?|ments?|ers?|ies|ied|ed|es|s)$/, "").replace(/[ey]$/, "");
}
