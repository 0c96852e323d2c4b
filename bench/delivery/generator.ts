// The publisher of all delivery benchmarks: the product's own publishEvents, in transactions like those of service
// functions.
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../src/context.ts';
import { acrossTeams, boundToTeam } from '../../src/db/session/bind.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { wakeQueues } from '../../src/delivery/queues/queue-leases.ts';
import { ENDPOINTS_CHANNEL } from '../../src/delivery/endpoint-cache.ts';
import { defineEvent } from '../../src/events/define.ts';
import { publishEvents } from '../../src/events/publish.ts';
import { createTeam } from '../../src/tenancy/teams/create.ts';
import { createWebhook } from '../../src/webhooks/endpoints/create.ts';
import { findSecret } from '../../src/webhooks/endpoints/secret.ts';
import type { Sink } from './sink.ts';

/** Each endpoint of a team gets its own event type, so that one event is one delivery. */
const RESOURCES = ['steps', 'heartrate', 'glucose', 'weight', 'water', 'hrv', 'fat', 'distance', 'note', 'caffeine'];
export const ENDPOINTS_A_TEAM = RESOURCES.length;

const Sample = Type.Object({
  timestamp: Type.String(),
  value: Type.Number(),
  unit: Type.String(),
  source: Type.String(),
});
const TYPES = RESOURCES.map((resource) =>
  defineEvent({ name: `daily.data.${resource}.created`, summary: '', data: Type.Object({ data: Type.Array(Sample) }) }),
);
const SAMPLES = 43;
/** The body of an event, 4.2 kB. */
const data = {
  data: Array.from({ length: SAMPLES }, (_, n) => ({
    timestamp: new Date(Date.UTC(2026, 10, 23, 8, n)).toISOString(),
    value: 60 + ((n * 7) % 40),
    unit: 'count',
    source: `phone ${n}`,
  })),
};
export const BODY_BYTES = 4_200;

export type Endpoint = { team_id: string; webhook_id: string; type: (typeof TYPES)[number]; path: string };

const teamCtx = (ctx: Ctx, orgId: string, teamId: string): TeamCtx => ({
  ...boundToTeam(ctx, teamId),
  team: { id: teamId, org_id: orgId, settings: {} },
});

/** Makes teams with at most 10 endpoints each. The sink gets the secrets, so that it can verify signatures. */
export async function makeEndpoints(ctx: Ctx, orgId: string, sink: Sink, count: number): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  const secrets: [string, string][] = [];
  while (endpoints.length < count) {
    const { id } = await createTeam(ctx, { org_id: orgId, name: `Bench ${endpoints.length}` });
    const team = teamCtx(ctx, orgId, id);
    for (const type of TYPES.slice(0, count - endpoints.length)) {
      const path = `/hook/${id}/${type.name}`;
      const { id: webhook_id } = await createWebhook(team, { url: sink.origin + path, filter_types: [type.name] });
      secrets.push([path, await findSecret(team, webhook_id)]);
      endpoints.push({ team_id: id, webhook_id, type, path });
    }
  }
  await sink.trust(secrets);
  return endpoints;
}

/**
 * Publishes an event to each of `to`, which are endpoints of one team, in one transaction. Returns the ids. Calls
 * `beforeCommit` with them right before the commit.
 */
export function publishTo(ctx: Ctx, to: Endpoint[], beforeCommit?: (ids: string[]) => void): Promise<string[]> {
  const { team_id: id } = to[0] as Endpoint;
  return inTransaction(boundToTeam(ctx, id), async (tx) => {
    const ids = await publishEvents(
      { ...tx, team: { id } },
      to.map(({ type }) => ({ type, user: null, data, origin: 'live' })),
    );
    beforeCommit?.(ids);
    return ids;
  });
}

const EVENTS_A_TRANSACTION = 100;
const TRANSACTIONS_AT_ONCE = 4;

/** Publishes `events` in all, the same number to each endpoint, as fast as possible. */
export async function publishBacklog(ctx: Ctx, endpoints: Endpoint[], events: number): Promise<void> {
  const batches: Endpoint[][] = [];
  for (const team of new Set(endpoints.map(({ team_id }) => team_id))) {
    const ofTeam = endpoints.filter(({ team_id }) => team_id === team);
    const share = Math.round((events * ofTeam.length) / endpoints.length);
    const all = Array.from({ length: share }, (_, n) => ofTeam[n % ofTeam.length] as Endpoint);
    while (all.length > 0) batches.push(all.splice(0, EVENTS_A_TRANSACTION));
  }
  const publish = async (): Promise<void> => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await publishTo(ctx, batch);
  };
  await Promise.all(Array.from({ length: TRANSACTIONS_AT_ONCE }, publish));
}

/** Disables or enables all endpoints in one transaction, with the effects that a PATCH of each would have. */
export function setDisabled(ctx: Ctx, endpoints: Endpoint[], disabled: boolean): Promise<void> {
  const ids = endpoints.map(({ webhook_id }) => webhook_id);
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    await sql`update webhooks set disabled = ${disabled} where id = any (${ids}::uuid[])`.execute(db);
    await sql`select pg_notify(${ENDPOINTS_CHANNEL}, id::text) from unnest(${ids}::uuid[]) as changed (id)`.execute(db);
    if (!disabled) await wakeQueues(db, ids);
  });
}
