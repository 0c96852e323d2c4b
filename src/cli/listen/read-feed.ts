import { UsageError } from '../command.ts';
import type { Following } from './follow.ts';
import { reasonOf } from './reason.ts';

export type FeedPage = {
  data: { id: string; event_type: string; created_at: string; origin: string | null; body: object | null }[];
  next_cursor: string;
};

/** The service is unavailable, or asked us to send the request again later. */
export class Unavailable extends Error {}

const WAIT_SECONDS = 30;
const LONGEST_MS = 45_000;
const PAGE = 100;

/** Returns the next page of the feed. It waits until there are events, for at most half a minute. */
export async function readFeed(
  { baseUrl, apiKey, types }: Following,
  after: string,
  stop: AbortSignal,
): Promise<FeedPage> {
  const url = new URL(`${baseUrl.href.replace(/\/$/, '')}/v2/events`);
  url.searchParams.set('limit', String(PAGE));
  // The first request gets the cursor of the current end of the feed, and does not wait for events. So we have a cursor
  // before the first wait, and lose no event if the wait is interrupted.
  if (after !== 'now') url.searchParams.set('wait', String(WAIT_SECONDS));
  if (after !== 'beginning') url.searchParams.set('after', after);
  for (const type of types) url.searchParams.append('event_type', type);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(LONGEST_MS)]);
  let status: number;
  let text: string;
  try {
    // A redirect may lead to another server, which would then get the key. So we follow none.
    const response = await fetch(url, { headers: { 'x-service-api-key': apiKey }, redirect: 'manual', signal });
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw new Unavailable(`${baseUrl.host} does not answer: ${reasonOf(error)}.`);
  }
  if (status === 200) return JSON.parse(text) as FeedPage;
  if (status === 429 || status >= 500) throw new Unavailable(`${baseUrl.host} answered ${status}.`);
  const { detail } = refusalOf(text);
  if (typeof detail === 'string') throw new Error(`${baseUrl.host} answered ${status}: ${detail}`);
  if (detail.some(({ loc }) => loc.at(-1) === 'after'))
    throw new UsageError(
      'phial listen takes as --after the cursor of an earlier run, or `beginning` for the oldest stored event, not ' +
        `${JSON.stringify(after)}. Default: now.`,
    );
  const problems = detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  throw new Error(`${baseUrl.host} answered ${status}: ${problems.join('; ')}`);
}

type Refusal = { detail: string | { loc: (string | number)[]; msg: string }[] };

function refusalOf(text: string): Refusal {
  try {
    const { detail } = JSON.parse(text) as Partial<Refusal>;
    if (typeof detail === 'string' || Array.isArray(detail)) return { detail };
  } catch {
    // The response is not JSON, so it may come from any other server.
  }
  return { detail: 'this is not the address of a Phial service.' };
}
