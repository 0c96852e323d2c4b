/** A format of text in requests. Validation, error texts, normalisation and documentation all use this object. */
export type Format = {
  /** The name of the format in schemas. */
  name: string;
  /** The most characters. We refuse a longer text before we call `check`. */
  longest: number;
  /**
   * Returns the normalised text, or null if the text does not have this format. Its time is linear in the length of the
   * text.
   */
  check: (text: string) => string | null;
  /** The type and message of the entry in a 422. */
  problem: readonly [type: string, msg: string];
  /** The OpenAPI schema of the closest standard format. */
  schema: Record<string, unknown>;
  /** A sentence for the reference, about rules that the standard format does not contain. */
  note?: string;
  /**
   * True if an empty text in a query means that the parameter is missing. All other formats refuse an empty text. A
   * client that forgot to set a variable would otherwise get a list of everything.
   */
  emptyIsAbsent?: true;
};

/** Declares a format. `wire/formats.ts` lists all formats. */
export const defineFormat = (format: Format): Format => format;

/** Returns a `check` that does not change the text. */
export const acceptIf =
  (isOfForm: (text: string) => boolean): Format['check'] =>
  (text) =>
    isOfForm(text) ? text : null;
