/** A violation of a rule. `at` is the path to it, from the value that has the rule. */
export type Breach = { at: string[]; type: string; msg: string };

/** A rule that JSON Schema cannot express. Validation and documentation both use this object. */
export type Rule = {
  /** The keyword of the rule in schemas. */
  keyword: string;
  /** The type of values that can have the rule. Default: objects. */
  type?: 'object' | 'any';
  /**
   * Returns every violation in `value`. The formats of its members are already checked. `setting` is the value of the
   * keyword in the schema.
   */
  check: (setting: never, value: never) => Breach[];
  /** Returns a sentence for the reference. */
  words: (setting: never) => string;
};

/** Declares a rule. `wire/rules.ts` lists all rules. */
export function defineRule<Setting, Value = Record<string, unknown>>(rule: {
  keyword: string;
  type?: 'object' | 'any';
  check: (setting: Setting, value: Value) => Breach[];
  words: (setting: Setting) => string;
}): Rule {
  return rule;
}
