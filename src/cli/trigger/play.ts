import { randomBytes } from 'node:crypto';
import { unwrap, type components, type Phial } from '@phial/client';
import type { Scenario, Stage } from './scenario.ts';

export type Published = components['schemas']['FeedEvent'];

type Play = { phial: Phial; manage: Stage['manage']; type: string; scenario: Scenario; patienceMs: number };

const WAIT_SECONDS = 10;
const PAGE = 250;

/**
 * Makes a new user, plays the scenario and returns the event that it published, as the change feed has it. Returns null
 * if there is none within `patienceMs`.
 */
export async function play({ phial, manage, type, scenario, patienceMs }: Play): Promise<Published | null> {
  const client_user_id = `trigger-${randomBytes(8).toString('hex')}`;
  const { user_id } = await unwrap(phial.POST('/v2/user', { body: { client_user_id } }));
  const works: (() => Promise<unknown>)[] = [];
  const now = await readFeed(phial, type, { after: 'now' });
  try {
    await scenario.play({ phial, user_id, manage, afterwards: (work) => void works.push(work) });
    return await findEventOrNull(phial, type, { after: now.next_cursor, user_id, until: Date.now() + patienceMs });
  } finally {
    for (const work of works.toReversed()) await work();
  }
}

const readFeed = (phial: Phial, type: string, query: { after: string; wait?: number }) =>
  unwrap(phial.GET('/v2/events', { params: { query: { ...query, event_type: [type], limit: PAGE } } }));

/** Events about no user, such as those about endpoints, are taken from anybody. */
async function findEventOrNull(
  phial: Phial,
  type: string,
  { after, user_id, until }: { after: string; user_id: string; until: number },
): Promise<Published | null> {
  let cursor = after;
  do {
    const page = await readFeed(phial, type, { after: cursor, wait: WAIT_SECONDS });
    const mine = page.data.find(({ body }) => {
      const about = (body as { user_id?: string | null } | null)?.user_id ?? null;
      return about === null || about === user_id;
    });
    if (mine) return mine;
    cursor = page.next_cursor;
  } while (Date.now() < until);
  return null;
}
