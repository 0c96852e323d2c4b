import { nearest } from './nearest.ts';
import { OPTIONS } from './option-table.ts';
import { providerOf } from './provider-options.ts';
import { FILE_OPTIONS_OF_SECRETS } from './secret-files.ts';

export type Env = Record<string, string | undefined>;

/**
 * Returns the environment of the process. If a variable is not set, a `.env` file in the working directory can set it.
 */
export function readEnvironment(): Env {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return process.env;
}

const PREFIX = 'PHIAL_';
const withoutPrefix = (name: string): string => name.slice(PREFIX.length);
/** Prefix of options of the tests. The program ignores them. */
const OF_THE_TESTS = 'PHIAL_TEST_';

/**
 * If this option is missing, the service makes its own database. With a misspelled name, an operator would thus see an
 * empty deployment.
 */
const DATABASE = 'DATABASE_URL';

/**
 * Returns a problem for each unknown name with our prefix. Without it, a misspelled option would silently have its
 * default.
 */
export function misspelledOptions(env: Env): string[] {
  const names = [...Object.keys(OPTIONS), ...FILE_OPTIONS_OF_SECRETS];
  // Some options have no prefix, for example PORT. For these, a prefix that does not belong there is the most likely
  // mistake.
  const prefixed = new Map(names.map((name) => [name.startsWith(PREFIX) ? name : PREFIX + name, name]));
  const meantDatabase = Object.keys(env)
    .filter((name) => env[DATABASE] === undefined && nearest(name, [DATABASE], 2) !== null)
    .map((name) => `${name} is not an option of Phial. Did you mean ${DATABASE}?`);
  const others = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(OF_THE_TESTS) && !names.includes(name))
    .map((name) => {
      const known = [...prefixed.keys()].filter((option) => canBeMeant(name, option));
      // The prefix is always right, so it must not make short names similar.
      const ending = nearest(withoutPrefix(name), known.map(withoutPrefix));
      const meant = prefixed.get(`${PREFIX}${ending}`);
      return `${name} is not an option of Phial.${meant ? ` Did you mean ${meant}?` : ' .env.example lists them all.'}`;
    });
  return [...meantDatabase, ...others];
}

const AS_OF_PROVIDERS = /_(?:CLIENT_ID|CLIENT_SECRET|BASE_URL|HISTORY_DAYS|SUBSCRIPTION_ID)$/;

/**
 * Returns true if a person may have meant this option. The options of providers differ only in the provider's name, so
 * an unknown name with an equal ending may mean another provider. The name must begin with the name of this provider,
 * with at most one wrong letter, or without the provider's version.
 */
function canBeMeant(name: string, option: string): boolean {
  const provider = providerOf(option);
  if (provider === null) return !AS_OF_PROVIDERS.test(name) || nearest(name, [option], 2) !== null;
  const words = name.slice(PREFIX.length).split('_');
  return words.some((_, n) => {
    const beginning = words.slice(0, n + 1).join('_');
    return nearest(beginning, [provider], 1) !== null || provider.startsWith(`${beginning}_`);
  });
}
