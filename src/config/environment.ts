import { nearest } from './nearest.ts';
import { OPTIONS } from './option-table.ts';
import { providerOf } from './provider-options.ts';

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
      const known = [...prefixed.keys()].filter((option) => canBeMeant(name, option));
      const meant = prefixed.get(nearest(name, known) ?? '');
      return `${name} is not an option of Phial.${meant ? ` Did you mean ${meant}?` : ' .env.example lists them all.'}`;
    });
  return [...meantDatabase, ...others];
}

const AS_OF_PROVIDERS = /_(?:CLIENT_ID|CLIENT_SECRET|BASE_URL|HISTORY_DAYS|SUBSCRIPTION_ID)$/;

/**
 * Whether a name that is no option can be meant to be this one. Those of providers differ by the provider's name only: what is
 * near because it ends as theirs do is another provider's, and never meant. A letter may be wrong, and the version missing.
 */
function canBeMeant(name: string, option: string): boolean {
  const provider = providerOf(option);
  if (provider === null) return !AS_OF_PROVIDERS.test(name) || nearest(name, [option], 2) !== null;
  const words = name.slice(PREFIX.length).split('_');
  return words.some((_, n) => {
    const told = words.slice(0, n + 1).join('_');
    return nearest(told, [provider], 1) !== null || provider.startsWith(`${told}_`);
  });
}
