import { readEnvironment } from '../../config/environment.ts';
import { isSecret, newSecret } from '../../delivery/sending/sign.ts';
import { UsageError } from '../command.ts';
import { followEvents } from './follow.ts';

type Asked = {
  'forward-to': string;
  'api-key': string | undefined;
  'base-url': string;
  events: string[];
  secret: string | undefined;
  after: string | undefined;
};

/**
 * Forwards a team's events from its change feed to an address that the service itself need not reach, as one on a developer's
 * own machine, until it is told to stop. It is a client: it opens no database.
 */
export async function listenCommand(asked: Asked): Promise<number> {
  const apiKey = asked['api-key'] ?? readEnvironment()['PHIAL_API_KEY'];
  if (!apiKey) throw new UsageError('phial listen needs a team API key: set PHIAL_API_KEY, or give it by --api-key.');
  const baseUrl = addressOf('--base-url', asked['base-url']);
  const forwardTo = addressOf('--forward-to', asked['forward-to']);
  if (asked.secret !== undefined && !isSecret(asked.secret))
    throw new UsageError('phial listen takes whsec_ and base64 of 24 to 64 bytes as --secret.');
  const secret = asked.secret ?? newSecret();

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  console.log(`Events of ${baseUrl.host} go to ${forwardTo.host}${forwardTo.pathname}. Ctrl-C ends it.`);
  if (asked.secret === undefined) console.log(`Signed by ${secret}, made for this session.`);
  const cursor = await followEvents(
    { baseUrl, apiKey, forwardTo, secret, types: asked.events, after: asked.after ?? 'now' },
    { stop: stop.signal, tell: (line) => console.log(line) },
  );
  console.log(`To go on from here: --after ${cursor}`);
  return 0;
}

function addressOf(flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`phial listen takes an http or https address as ${flag}, not ${JSON.stringify(text)}.`);
}
