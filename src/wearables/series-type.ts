/** What defines a time series: its name, its unit and the parts of its samples. */
export type Series = {
  /** The name in the paths of operations. */
  name: string;
  /** The name in schemas: `Grouped<title>Response`. */
  title: string;
  /** The name in events; null if the series has no events. */
  event: string | null;
  /** What is measured, in words that follow "Read …". */
  what: string;
  unit: string;
  /** The other units that are accepted, each with the function that converts a value into the unit of the series. */
  units: Readonly<Record<string, (value: number, type: string | null) => number>>;
  /** True if samples have a start and an end; false if they have one moment. */
  interval: boolean;
  /**
   * Whether the values of a day add up, as steps do; null if they do not. If values add up, several sources complete
   * each other, and values that two sources report must count only once. With `as measured`, two samples report the
   * same if their intervals overlap or their moments are equal. With `by the hour`, they report the same if they are in
   * the same hour, because we do not know which time a sample covers.
   */
  additive: 'as measured' | 'by the hour' | null;
  /** The kind of `value`: a number, a text, or two numbers (systolic and diastolic). */
  value: 'number' | 'text' | 'blood_pressure';
  /** The smallest and the largest possible `value`, in the unit of the series. */
  range: Range;
  /**
   * True for percentages that are never between 0 and 1. A value between 0 and 1 is a fraction that somebody has not
   * converted: 0.97 instead of 97.
   */
  isNeverFraction: boolean;
  /** The only possible `value`, if a sample only states that something happened; null for any other series. */
  only: number | null;
  /** The allowed values of `type`; `any` if the sender chooses the value; null if the series has no types. */
  type: readonly string[] | 'any' | null;
  /** True if `type` may be missing although the series has types. */
  typeOptional: boolean;
  /** True if two samples of one moment with different types are two samples, as the parts of a lipid panel are. */
  keyedByType: boolean;
  /** Other fields of a sample, each with its allowed values. `list` means that a field can have several values. */
  extras: Readonly<Record<string, { words: readonly string[]; list?: true; answered: 'always' | 'optional' }>>;
  /** True if the series also has the older operation, whose response is one list. */
  ungrouped: boolean;
  deprecated: boolean;
};

/** The least and the most that a value can be. */
export type Range = readonly [least: number, most: number];
