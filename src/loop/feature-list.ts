import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

/** The files of long work (C8), from the folder's top. */
export const WORK_FILES = { list: "work/features.json", progress: "work/progress.md", start: "work/start.sh" } as const;

/** One thing that the program can do once it passes. `check`: bash source text; passes with exit code 0. What else stands in it is kept as it is. */
const Feature = z.looseObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "small letters, digits and -, at most 50"),
  title: z.string().min(1).max(300),
  check: z.string().min(1).max(4000),
  passes: z.boolean(),
});
const FeatureList = z.looseObject({ wanted: z.string().optional(), features: z.array(Feature).min(1).max(500) });

export type Feature = z.infer<typeof Feature>;
export type FeatureList = z.infer<typeof FeatureList>;

/** A list out of a file's text. A text instead is what is wrong with it. Pure. */
export function readFeatures(text: string): FeatureList | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return `it is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const read = FeatureList.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not as it has to be"}`;
  }
  const ids = read.data.features.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  return twice === undefined ? read.data : `there are two features "${twice}"`;
}

/** The next to be built: the first that doesn't pass. */
export function nextFeature({ features }: FeatureList): Feature | undefined {
  return features.find(({ passes }) => !passes);
}

/** Ids whose `passes` became true, where nothing but `passes` is other than before; else a text says what is. Pure. */
export function ticked(before: FeatureList, after: FeatureList): readonly string[] | string {
  const ids = ({ features }: FeatureList) => features.map(({ id }) => id).join(", ");
  if (ids(before) !== ids(after)) return `its features were ${ids(before)}, and would be ${ids(after)}`;
  const other = after.features.find((f, at) => !isDeepStrictEqual(asFailing(f), asFailing(before.features[at])));
  if (other !== undefined) return `of "${other.id}" more than passes would change`;
  if (!isDeepStrictEqual({ ...before, features: [] }, { ...after, features: [] }))
    return "more than its features would change";
  return after.features.flatMap((f, at) => (f.passes && before.features[at]?.passes === false ? [f.id] : []));
}

function asFailing(feature: Feature | undefined): unknown {
  return { ...feature, passes: false };
}

/** A list as it is written. */
export function listText(list: FeatureList): string {
  return `${JSON.stringify(list, null, 2)}\n`;
}
