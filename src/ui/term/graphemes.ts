/**
 * Signs that are one grapheme and one column each, whatever stands beside them: printable ASCII and Latin-1, dashes,
 * quotes, dots, arrows, box drawing and the marks of our own screen. Nothing that joins or combines.
 */
const SIGNS =
  "\\x20-\\x7e\\xa0-\\xac\\xae-\\xff\\u2010-\\u2027\\u2032-\\u203a\\u2190-\\u2193\\u21b6\\u21b7\\u2212\\u22ef\\u2298\\u23ce" +
  "\\u2500-\\u257f\\u25a0\\u25b8\\u25cb\\u25cf\\u2713\\u2717\\u2722\\u2733\\u2736\\u273b\\u27e8\\u27e9";
const SIMPLE = new RegExp(`^[${SIGNS}]*$`);
/** Also the controls, which join with nothing, but for CR with LF. */
const APART = new RegExp(`^[${SIGNS}\\x00-\\x0c\\x0e-\\x1f\\x7f]*$`);

/** Each UTF-16 unit is a grapheme of one column, so that the width is the length. */
export function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

// Not by its full name, which the build replaces.
const { Segmenter: RealSegmenter } = Intl;

/**
 * An `Intl.Segmenter` by graphemes that is made when the first text needs it: its data take some fifteen milliseconds,
 * which a first frame does not have. The build puts it in the place of `Intl.Segmenter` in the libraries, too.
 */
export class Segmenter {
  #real: Intl.Segmenter | undefined;

  segment(text: string): Intl.Segments {
    if (APART.test(text)) return apart(text);
    this.#real ??= new RealSegmenter(undefined, { granularity: "grapheme" });
    return this.#real.segment(text);
  }
}

function apart(input: string): Intl.Segments {
  const at = (index: number): Intl.SegmentData => ({ segment: input.charAt(index), index, input });
  return {
    containing: ((index = 0) =>
      index < input.length ? at(Math.trunc(index)) : undefined) as Intl.Segments["containing"],
    *[Symbol.iterator]() {
      for (let index = 0; index < input.length; index++) yield at(index);
      return undefined;
    },
  };
}

const segmenter = new Segmenter();

/** A text's graphemes with their places. */
export function graphemes(text: string): Iterable<Intl.SegmentData> {
  return segmenter.segment(text);
}
