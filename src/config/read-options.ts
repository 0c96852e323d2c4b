import type { Env } from './read-environment.ts';
import { WrongValue } from './option-kinds.ts';
import { OPTIONS } from './option-table.ts';
import { textOfOption } from './secret-files.ts';

type Name = keyof typeof OPTIONS;

/** The value or the default of each option, including secrets. */
export type OptionValues = { [N in Name]: ReturnType<(typeof OPTIONS)[N]['read']> };

/**
 * Reads each option, and the files of secrets. An empty value means that the option is not set. `wrong` lists the
 * options with a wrong value. In `given`, these have their default.
 */
export function readOptions(env: Env): { given: OptionValues; wrong: Map<Name, string> } {
  const wrong = new Map<Name, string>();
  const read = (name: Name): unknown => {
    const option = OPTIONS[name];
    try {
      return option.read(textOfOption(env, name) || option.default);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      wrong.set(name, `${name} ${error.message}`);
      return option.read(option.default);
    }
  };
  const names = Object.keys(OPTIONS) as Name[];
  return { given: Object.fromEntries(names.map((name) => [name, read(name)])) as OptionValues, wrong };
}
