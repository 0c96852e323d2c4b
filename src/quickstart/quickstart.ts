// What `npm run quickstart` plays: a test kit's whole story against the running service, through HTTP alone.
import { readEnvironment } from '../config/environment.ts';
import { ConfigError } from '../config/options.ts';
import { EmbeddedError } from '../db/embedded/errors.ts';
import { openContract } from './contract.ts';
import { readCredentials } from './credentials.ts';
import { openReceiver } from './receiver.ts';
import { openService, readOpenApi } from './service.ts';
import { playStory } from './story/play.ts';
import { Surprise } from './surprise.ts';
import { openTimeline } from './timeline.ts';

type Options = {
  /** The environment that the service was started with. */
  env?: Record<string, string | undefined>;
  print?: (line: string) => void;
  /** How long a step waits for its webhooks. */
  webhookPatienceMs?: number;
};

/** Tells the story as a timeline. Returns the exit code: 0 when all of it was as it should be, 1 after a surprise. */
export async function quickstart({
  env = readEnvironment(),
  print = console.log,
  webhookPatienceMs = 20_000,
}: Options = {}): Promise<number> {
  try {
    const credentials = readCredentials(env);
    const contract = openContract(await readOpenApi(credentials.base_url));
    const timeline = openTimeline(print);
    const receiver = await openReceiver(contract, timeline, webhookPatienceMs);
    print(`Phial at ${credentials.base_url}, webhooks to ${receiver.url}`);
    try {
      await playStory({ credentials, service: openService(credentials, contract, timeline), receiver, timeline });
    } finally {
      await receiver.close();
    }
    print('\nEverything was as it should be.');
    return 0;
  } catch (error) {
    print(`\n${explain(error as Error)}`);
    return 1;
  }
}

function explain(error: Error): string {
  if (error instanceof Surprise) return `Surprise: ${error.message}`;
  return error instanceof ConfigError || error instanceof EmbeddedError ? error.message : String(error.stack);
}
