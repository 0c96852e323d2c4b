/** A time series of a user: its name, its unit and the parts of its samples. */
export type Series = {
  /** The name in paths. */
  name: string;
  /** The name in schemas: `Grouped<title>Response`. */
  title: string;
  /** The name in events; null if we publish no events about the series. */
  event: string | null;
  /** The measured quantity, in words that follow "Read …". */
  what: string;
  unit: string;
  /** Other units that we accept, each with the function that converts a value into the unit of the series. */
  units: Readonly<Record<string, (value: number, type: string | null) => number>>;
  /** True if samples have a start and an end. False if they have one moment. */
  interval: boolean;
  /**
   * States whether the values of a day add up, so that several sources complete each other. With `as measured`, two
   * sources report the same if their intervals overlap or their moments are equal. With `by the hour`, two sources
   * report the same if both report in the same hour, because we do not know which time such a sample covers. If this is
   * null, values do not add up.
   */
  additive: 'as measured' | 'by the hour' | null;
  /** The kind of `value`: a number, a text, or two numbers (systolic and diastolic). */
  value: 'number' | 'text' | 'blood_pressure';
  /** The least and the largest possible `value`, in the unit of the series. */
  range: Range;
  /**
   * True for percentages that are never between 0 and 1. If somebody sends such a value, it is a fraction that was not
   * converted.
   */
  isNeverFraction: boolean;
  /**
   * The only number that `value` may be, if a sample only states that something happened; null if any number is
   * allowed.
   */
  only: number | null;
  /**
   * The allowed values of `type`. `any` means that the sender chooses the value. Null means that the series has no
   * types.
   */
  type: readonly string[] | 'any' | null;
  /** True if `type` may be missing although there are allowed values for it. */
  typeOptional: boolean;
  /**
   * True if two samples of one moment with different types are different samples, for example the parts of a lipid
   * panel.
   */
  keyedByType: boolean;
  /** Other keys of a sample, each with its allowed values. `list` is set if a key can have several values. */
  extras: Readonly<Record<string, { words: readonly string[]; list?: true; answered: 'always' | 'optional' }>>;
  /** True if there is also the older operation, whose response is one list. */
  ungrouped: boolean;
  deprecated: boolean;
};

/** The least and the most that a value can be. */
export type Range = readonly [least: number, most: number];
