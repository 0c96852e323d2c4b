/** A flag of a command; without `repeated` it may be given once. */
type Flag = {
  /** What stands for the value in the help, as DIRECTORY. */
  value: string;
  meaning: string;
  required?: true;
  repeated?: true;
  choices?: readonly string[];
  /** Checked before anything is opened: a UUID. */
  isId?: true;
  /** The same: a day, as 2026-01-31. */
  isDay?: true;
  default?: string;
};

export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F extends { choices: readonly (infer Choice)[] } ? Choice : string;

/** What `run` gets for its flags: text, one of the choices, a list of a repeated flag, undefined for what was left out. */
export type Values<F extends Flags> = {
  [Name in keyof F]: F[Name] extends { repeated: true }
    ? ValueOf<F[Name]>[]
    : F[Name] extends { required: true } | { default: string }
      ? ValueOf<F[Name]>
      : ValueOf<F[Name]> | undefined;
};

export type RunOptions = {
  /** Ends the program when its parent does: nobody could stop one that npm left behind. */
  stopWithParent?: boolean;
};

/** A command of the program: its help, the check of its words and its work all come from this one object. */
export type Command = {
  /** As they are typed: `org keys create`. */
  words: string;
  /** What others call it: who types that is told of this one. */
  insteadOf?: readonly string[];
  summary: string;
  flags: Flags;
  /** Returns the exit code. Loads what it needs itself, so that no command waits for another's modules. */
  run: (values: never, options: RunOptions) => Promise<number>;
};

/** Declares a command; `run` gets exactly the values that its flags promise. */
export function command<const F extends Flags>(definition: {
  words: string;
  insteadOf?: readonly string[];
  summary: string;
  flags: F;
  run: (values: Values<F>, options: RunOptions) => Promise<number>;
}): Command {
  return definition;
}

/** The words of a command line are wrong: nothing was done. */
export class UsageError extends Error {}
