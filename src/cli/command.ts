/** A flag of a command. A command line may have it once, or several times if it is `repeated`. */
type Flag = {
  /** The placeholder for the value in the help text, such as DIRECTORY. Empty: the flag is on or off. */
  value: string;
  meaning: string;
  required?: true;
  repeated?: true;
  choices?: readonly string[];
  /** True if the value must be a UUID. We check this before we open anything. */
  isId?: true;
  /** True if the value must be a day, such as 2026-01-31. We check this before we open anything. */
  isDay?: true;
  default?: string;
  /** Other names that people may type. Help and completions do not show them. */
  aliases?: readonly string[];
};

export type Flags = Readonly<Record<string, Flag>>;

/** The word that a command takes without a flag, such as the id in `phial orders ID`. */
export type Operand = { name: string; meaning: string; required?: true; choices?: readonly string[] };

/** The flag of commands that print text for people. Programs read JSON. */
export const JSON_FLAG = { value: '', meaning: 'Print JSON.' } as const;

/** The shells for which the program can print completions. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const EXIT_CODES =
  'Exit codes: 0 done, 1 failed or something needs a person, 2 the command line is wrong and nothing was done.';

/** Command lines of the help. Words in capitals, such as ID, stand for values. */
type Examples = readonly [string, string, ...string[]];

type ValueOf<F extends Flag> = F extends { choices: readonly (infer Choice)[] } ? Choice : string;

/**
 * The values that `run` gets for the flags: text, one of the choices, a list for a repeated flag, undefined for a
 * flag that is not given, or true or false for a flag without a value.
 */
export type Values<F extends Flags> = {
  [Name in keyof F]: F[Name] extends { value: '' }
    ? boolean
    : F[Name] extends { repeated: true }
      ? ValueOf<F[Name]>[]
      : F[Name] extends { required: true } | { default: string }
        ? ValueOf<F[Name]>
        : ValueOf<F[Name]> | undefined;
};

export type RunOptions = {
  /**
   * True if the program must end when its parent ends. Otherwise a program that npm started could continue after npm
   * has ended, and nobody could stop it.
   */
  stopWithParent?: boolean;
};

/** A command of the program. This object contains its help text, its flags and its function. */
export type Command = {
  /** The words that people type, for example `org keys create`. */
  words: string;
  /** Words from similar programs. If a person types one of them, the error suggests this command. */
  insteadOf?: readonly string[];
  summary: string;
  /** The help begins with these. */
  examples: Examples;
  operand?: Operand;
  flags: Flags;
  /**
   * Runs the command, and returns the exit code. It imports the modules that it needs, so that no command loads the
   * modules of another.
   */
  run: (values: never, options: RunOptions) => Promise<number>;
};

/** Declares a command. The types of `run`'s values follow from the flags. */
export function command<const F extends Flags>(definition: {
  words: string;
  insteadOf?: readonly string[];
  summary: string;
  examples: Examples;
  operand?: Operand;
  flags: F;
  run: (values: Values<F> & { operand: string | undefined }, options: RunOptions) => Promise<number>;
}): Command {
  return definition;
}

/** Commands for one purpose. `phial --help` has a line for each group, and `phial help NAME` lists its commands. */
export type Group = { name: string; does: string; commands: Command[] };

/** The error for a wrong command line. The program has done nothing. */
export class UsageError extends Error {}

/** The reason for which a command failed, with what to do, in whole sentences. */
export class CommandError extends Error {}
