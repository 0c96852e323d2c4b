import { readEnvironment } from '../../config/read-environment.ts';
import { nearest } from '../../config/nearest.ts';
import { isSecret, newSecret } from '../../delivery/sending/sign.ts';
import { eventFilters } from '../../events/names.ts';
import { UsageError } from '../command.ts';
import { addressOf, findSandboxOrNull, keyOfEnvironment, serviceOf } from '../find-service.ts';
import { followEvents } from './follow.ts';

type ListenOptions = {
  'forward-to': string;
  key: string | undefined;
  url: string | undefined;
  events: string[];
  secret: string | undefined;
  after: string | undefined;
};

/**
 * Forwards the events of a team's change feed to a URL until it is stopped. The service itself need not reach this URL,
 * which can be on a developer's own machine. The command is an API client and opens no database.
 */
export async function listenCommand(asked: ListenOptions): Promise<number> {
  const env = readEnvironment();
  const apiKey = asked.key ?? keyOfEnvironment(env) ?? findSandboxOrNull(env)?.team_api_key;
  if (!apiKey) throw new UsageError('phial listen needs a team API key. Set PHIAL_API_KEY, or give it with --key.');
  const baseUrl = asked.url === undefined ? serviceOf('listen', env) : addressOf('listen', '--url', asked.url);
  const forwardTo = addressOf('listen', '--forward-to', asked['forward-to']);
  const types = asked.events.flatMap((each) => each.split(','));
  for (const type of types) refuseUnknown(type);
  if (asked.secret !== undefined && !isSecret(asked.secret))
    throw new UsageError('phial listen takes whsec_ and base64 of 24 to 64 bytes as --secret.');
  const secret = asked.secret ?? newSecret();

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  console.log(`Forwarding events of ${baseUrl.host} to ${forwardTo.host}${forwardTo.pathname}. Ctrl-C ends it.`);
  if (asked.secret === undefined) console.log(`Signed with ${secret}, made for this session.`);
  const cursor = await followEvents(
    { baseUrl, apiKey, forwardTo, secret, types, after: asked.after ?? 'now' },
    { stop: stop.signal, printLine: (line) => console.log(line) },
  );
  console.log(`To continue from here: --after ${cursor}`);
  return 0;
}

/** Throws if the event type is unknown. The feed would accept it, and return no events. */
function refuseUnknown(type: string): void {
  const filters = eventFilters();
  if (filters.includes(type)) return;
  const meant = nearest(type, filters);
  throw new UsageError(
    `phial listen takes event types as --events, and there is no ${JSON.stringify(type)}.` +
      (meant ? ` Did you mean ${meant}?` : '') +
      ' GET /v2/event_types lists them. A beginning of a type ends in .*',
  );
}
