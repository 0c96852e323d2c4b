import { nearest } from './nearest.ts';
import { OPTIONS } from './option-table.ts';

export type Env = Record<string, string | undefined>;

/** The process's own environment, with a `.env` file of the working directory below it. */
export function readEnvironment(): Env {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return process.env;
}

const PREFIX = 'PHIAL_';
/** What the tests are told by their surroundings, and the program is not. */
const OF_THE_TESTS = 'PHIAL_TEST_';

/** Without it the service makes a database of its own: the one misspelling by which a deployment would seem to be empty. */
const DATABASE = 'DATABASE_URL';

/** A problem for each name that begins as ours do and is none: a misspelled option would silently keep its default. */
export function misspelledOptions(env: Env): string[] {
  const names = Object.keys(OPTIONS);
  // Some have no prefix, as PORT: a prefix too many is the likeliest mistake about them.
  const prefixed = new Map(names.map((name) => [name.startsWith(PREFIX) ? name : PREFIX + name, name]));
  const meantDatabase = Object.keys(env)
    .filter((name) => env[DATABASE] === undefined && nearest(name, [DATABASE], 2) !== null)
    .map((name) => `${name} is not an option of Phial. Did you mean ${DATABASE}?`);
  const others = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(OF_THE_TESTS) && !names.includes(name))
    .map((name) => {
      const meant = prefixed.get(nearest(name, [...prefixed.keys()]) ?? '');
      return `${name} is not an option of Phial.${meant ? ` Did you mean ${meant}?` : ' .env.example lists them all.'}`;
    });
  return [...meantDatabase, ...others];
}
