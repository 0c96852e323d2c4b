import type { Env } from './environment.ts';
import { WrongValue } from './option-kinds.ts';
import { OPTIONS } from './option-table.ts';

type Name = keyof typeof OPTIONS;

/** What each option says, or its default; secrets among them. */
export type Given = { [N in Name]: ReturnType<(typeof OPTIONS)[N]['read']> };

/** Reads each option by itself; an empty value counts as absent. `wrong` tells of those that stand as their default. */
export function readOptions(env: Env): { given: Given; wrong: Map<Name, string> } {
  const wrong = new Map<Name, string>();
  const read = (name: Name): unknown => {
    const option = OPTIONS[name];
    try {
      return option.read(env[name]?.trim() || option.default);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      wrong.set(name, `${name} ${error.message}`);
      return option.read(option.default);
    }
  };
  const names = Object.keys(OPTIONS) as Name[];
  return { given: Object.fromEntries(names.map((name) => [name, read(name)])) as Given, wrong };
}
