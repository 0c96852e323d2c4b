// The whole story of a test kit against the running service, through HTTP alone: `npm run quickstart`.
import { existsSync } from 'node:fs';
import { openContract } from './contract.ts';
import { readCredentials } from './credentials.ts';
import { openEndpoint } from './endpoint.ts';
import { openService, readOpenApi } from './service.ts';
import { playStory } from './story/play.ts';
import { Surprise } from './surprise.ts';
import { openTimeline } from './timeline.ts';

type Options = {
  /** The environment that the service was started with. */
  env?: Record<string, string | undefined>;
  /** The folder of the project that the service was started from. */
  project?: string;
  print?: (line: string) => void;
  /** How long a step waits for its webhooks. */
  webhookPatienceMs?: number;
};

/** Prints the story as a timeline. Returns the exit code: 0 when all of it was as it should be, 1 after a surprise. */
export async function quickstart({
  env = readEnvironment(),
  project = process.cwd(),
  print = console.log,
  webhookPatienceMs = 20_000,
}: Options = {}): Promise<number> {
  try {
    const credentials = readCredentials(env, project);
    const contract = openContract(await readOpenApi(credentials.base_url));
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

/** The process's own environment, with a `.env` file of the working directory below it, as the service reads it. */
function readEnvironment(): Record<string, string | undefined> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
