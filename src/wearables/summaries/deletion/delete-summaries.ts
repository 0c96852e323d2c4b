// Deletes summaries and publishes events. If a source deletes summaries, Phial deletes them by this file. The erasure
// of a person does not use it, because an erasure publishes no events.
import { sql, type RawBuilder } from 'kysely';
import { publishEvents, type Publication } from '../../../events/publish.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import type { Writer } from '../../user-writer.ts';
import { renderSource } from '../../source.ts';
import { eventsOf } from '../events.ts';
import { SUMMARIES } from '../summary-resources.ts';

type DeletedRow = Deletable & {
  source_type: string;
  app_id: string | null;
  device_id: string | null;
  provider_id: string | null;
  calendar_date: string | null;
  deleted_at: string;
};

/** A summary to delete. */
export type Deletable = { id: string; resource: string; provider: string };

type UserRef = { id: string };

/**
 * The kinds of summaries that name a summary of another kind, as a cycle names its sleep. They are deleted together
 * with it.
 */
const BELONGING = SUMMARIES.flatMap(({ name, references = {} }) =>
  Object.entries(references).map(([field, to]) => ({ name, field, to })),
);

/**
 * How many summaries one statement deletes. The events of these need some ten milliseconds of this process, which
 * encrypts them.
 */
const AT_ONCE = 100;

/** Returns the user's summaries that match `which`, at most `most` of them. */
export async function findDeletable(
  { db, team }: Writer,
  user: UserRef,
  { which, most }: { which: RawBuilder<unknown>; most: number },
): Promise<Deletable[]> {
  // PostgreSQL plans this statement at each call, as it does every search in summaries. A plan from the time when the
  // table was small could be slow later.
  const { rows } = await sql<Deletable>`
    select id, resource, provider from ${sql.table('summaries')} as summaries
     where user_id = ${user.id} and team_id = ${team.id} and ${which} limit ${most}`.execute(db);
  return rows;
}

/**
 * Returns the summaries that belong to these and are deleted with them, at most `most` of each kind. Leaves out those
 * that are in the list already.
 */
export async function findBelonging(
  ctx: Writer,
  user: UserRef,
  doomed: Deletable[],
  most: number,
): Promise<Deletable[]> {
  const found: Deletable[] = [];
  for (const { name, field, to } of BELONGING) {
    const ids = doomed.flatMap(({ id, resource }) => (resource === to ? [id] : []));
    if (ids.length === 0) continue;
    // The name of the field is a literal, because only then PostgreSQL uses the index of the field.
    const which = sql`resource = ${sql.lit(name)} and "values" ->> ${sql.lit(field)} = any (${ids}::text[])`;
    found.push(...(await findDeletable(ctx, user, { which, most })));
  }
  const known = new Set(doomed.map(({ id }) => id));
  return found.filter(({ id }) => !known.has(id));
}

/**
 * Deletes these summaries with their points. Publishes an event for each, except for devices, which have no such event.
 */
export async function deleteSummaries(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  doomed: Deletable[],
): Promise<void> {
  for (let n = 0; n < doomed.length; n += AT_ONCE) {
    await ctx.giveWay?.();
    const gone = await deleteRows(ctx, user, doomed.slice(n, n + AT_ONCE));
    await publishEvents(ctx, gone.flatMap((each) => publicationsOf(ctx, user, each)) as never);
  }
  await askForRuns(
    ctx,
    user,
    doomed.map(({ resource }) => resource),
  );
}

async function deleteRows({ db, team }: Writer, user: UserRef, doomed: Deletable[]): Promise<DeletedRow[]> {
  const { rows } = await sql<DeletedRow>`
    delete from ${sql.table('summaries')} as summaries
     where user_id = ${user.id} and team_id = ${team.id} and id = any (${doomed.map(({ id }) => id)}::uuid[])
    returning id, resource, provider, source_type, app_id, device_id, provider_id, calendar_date,
      greatest(clock_timestamp(), updated_at + interval '1 millisecond') as deleted_at`.execute(db);
  return rows;
}

function publicationsOf(ctx: Writer, user: { id: string; client_user_id: string }, gone: DeletedRow): Publication[] {
  const { id, resource, provider_id, calendar_date, deleted_at, ...from } = gone;
  const type = eventsOf({ name: resource }).deleted;
  if (!type) return [];
  const source = renderSource(ctx.config, from);
  const data = { id, user_id: user.id, provider_id: provider_id ?? id, calendar_date, source, deleted_at };
  return [{ type, user, data, origin: ctx.origin }];
}
