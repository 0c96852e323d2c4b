/** A form that text of a request has: told once, it is checked, refused, normalised and documented from here. */
export type Format = {
  /** As schemas name it. */
  name: string;
  /** The longest text of the form in characters; anything longer is refused before `check` sees it. */
  longest: number;
  /** The text as it is kept, or null where it is not of this form. Linear in the length of the text. */
  check: (text: string) => string | null;
  /** The entry of a 422. */
  problem: readonly [type: string, msg: string];
  /** What OpenAPI says of it: the nearest relative that the world knows. */
  schema: Record<string, unknown>;
  /** What the nearest relative leaves unsaid, as a sentence of the reference. */
  note?: string;
  /** In a query, empty text is as if it were left out. Of all other forms it is refused: a forgotten variable must not list everything. */
  emptyIsAbsent?: true;
};

/** Declares a form; `wire/formats.ts` lists them all. */
export const defineFormat = (format: Format): Format => format;

/** A check that keeps the text as it is. */
export const keepIf =
  (isOfForm: (text: string) => boolean): Format['check'] =>
  (text) =>
    isOfForm(text) ? text : null;
