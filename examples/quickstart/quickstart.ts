// Plays the whole story of a test kit against a running service, and uses only HTTP: `npm run quickstart`.
import { existsSync } from 'node:fs';
import { openContract, type Contract } from './contract.ts';
import { readCredentials } from './credentials.ts';
import { openEndpoint } from './endpoint.ts';
import { openService, readOpenApi } from './service.ts';
import { playStory } from './story/play.ts';
import { Surprise } from './surprise.ts';
import { openTimeline } from './timeline.ts';

type Options = {
  /** The environment in which the service runs. */
  env?: Record<string, string | undefined>;
  /** The folder of the project from which the service was started. */
  project?: string;
  print?: (line: string) => void;
  /** Checks the responses. By default it is made from the service's own OpenAPI document. */
  contract?: Contract;
  /** How long a step waits for its webhooks, in milliseconds. */
  webhookPatienceMs?: number;
};

/** Plays the story and prints it as a timeline. Returns the exit code: 0 if everything was as expected, otherwise 1. */
export async function quickstart({
  env = readEnvironment(),
  project = process.cwd(),
  print = console.log,
  contract: given,
  webhookPatienceMs = 20_000,
}: Options = {}): Promise<number> {
  try {
    const credentials = readCredentials(env, project);
    const contract = given ?? openContract(await readOpenApi(credentials.base_url));
    const timeline = openTimeline(print);
    const endpoint = await openEndpoint(contract, timeline, webhookPatienceMs);
    print(`Phial at ${credentials.base_url}, webhooks to ${endpoint.url}`);
    try {
      await playStory({ credentials, service: openService(credentials, contract, timeline), endpoint, timeline });
    } finally {
      await endpoint.close();
    }
    print('\nEverything was as it should be.');
    return 0;
  } catch (error) {
    const { message, stack } = error as Error;
    print(`\n${error instanceof Surprise ? `Surprise: ${message}` : stack}`);
    return 1;
  }
}

/**
 * Returns the environment of the process. If a variable is not set, a `.env` file in the working directory can set it,
 * as in the service.
 */
function readEnvironment(): Record<string, string | undefined> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
