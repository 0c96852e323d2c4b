/** What a rule found wrong, and where: the way from the value that the rule stands at. */
export type Breach = { at: string[]; type: string; msg: string };

/** A rule that JSON Schema has no word for: told once, it is checked and documented from here. */
export type Rule = {
  /** As schemas name it. */
  keyword: string;
  /** Left out: objects. */
  type?: 'object' | 'any';
  /** Everything wrong with `value`, whose members have their forms by then; `setting` is what the schema says. */
  check: (setting: never, value: never) => Breach[];
  /** A sentence of the reference. */
  words: (setting: never) => string;
};

/** Declares a rule; `wire/rules.ts` lists them all. */
export function defineRule<Setting, Value = Record<string, unknown>>(rule: {
  keyword: string;
  type?: 'object' | 'any';
  check: (setting: Setting, value: Value) => Breach[];
  words: (setting: Setting) => string;
}): Rule {
  return rule;
}
