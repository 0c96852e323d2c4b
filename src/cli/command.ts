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
};

export type Flags = Readonly<Record<string, Flag>>;

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
  flags: F;
  run: (values: Values<F>, options: RunOptions) => Promise<number>;
}): Command {
  return definition;
}

/** The error for a wrong command line. The program has done nothing. */
export class UsageError extends Error {}
