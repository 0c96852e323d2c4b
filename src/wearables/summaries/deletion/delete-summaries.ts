// The one way by which summaries go that their source has deleted, whoever says so; what an erasure of a person takes away is told to nobody.
import { sql, type RawBuilder } from 'kysely';
import { publishEvents, type Publication } from '../../../events/publish.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import type { Writer } from '../../one-writer.ts';
import { renderSource } from '../../source.ts';
import { eventsOf } from '../events.ts';
import { SUMMARIES } from '../resources.ts';

type Gone = Doomed & {
  source_type: string;
  app_id: string | null;
  device_id: string | null;
  provider_id: string | null;
  calendar_date: string | null;
  deleted_at: string;
};

/** A summary that is to go. */
export type Doomed = { id: string; resource: string; provider: string };

type Whose = { id: string };

/** Kinds that name a summary of another kind, by whose going they go. */
const BELONGING = SUMMARIES.flatMap(({ name, references = {} }) =>
  Object.entries(references).map(([field, to]) => ({ name, field, to })),
);

/** Deleted and told by one statement each: some ten milliseconds of this process, which seals what is told. */
const AT_ONCE = 100;

/** Those of a user's summaries of which `which` is true, at most `most`. */
export async function findDoomed(
  { db, team }: Writer,
  user: Whose,
  { which, most }: { which: RawBuilder<unknown>; most: number },
): Promise<Doomed[]> {
  // Planned each time, as all that looks for rows of summaries.
  const { rows } = await sql<Doomed>`
    select id, resource, provider from ${sql.table('summaries')} as summaries
     where user_id = ${user.id} and team_id = ${team.id} and ${which} limit ${most}`.execute(db);
  return rows;
}

/** What belongs to these and goes with them, at most `most` of each kind, but what is among them. */
export async function findBelonging(ctx: Writer, user: Whose, doomed: Doomed[], most: number): Promise<Doomed[]> {
  const found: Doomed[] = [];
  for (const { name, field, to } of BELONGING) {
    const ids = doomed.flatMap(({ id, resource }) => (resource === to ? [id] : []));
    if (ids.length === 0) continue;
    // The field stands in the text, by which the index of it is found.
    const which = sql`resource = ${sql.lit(name)} and "values" ->> ${sql.lit(field)} = any (${ids}::text[])`;
    found.push(...(await findDoomed(ctx, user, { which, most })));
  }
  const known = new Set(doomed.map(({ id }) => id));
  return found.filter(({ id }) => !known.has(id));
}

/** Deletes these summaries with their points, and tells of each. Of devices that is no event. */
export async function deleteSummaries(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  doomed: Doomed[],
): Promise<void> {
  for (let n = 0; n < doomed.length; n += AT_ONCE) {
    await ctx.giveWay?.();
    const gone = await takeAway(ctx, user, doomed.slice(n, n + AT_ONCE));
    await publishEvents(ctx, gone.flatMap((each) => told(ctx, user, each)) as never);
  }
  await askForRuns(
    ctx,
    user,
    doomed.map(({ resource }) => resource),
  );
}

async function takeAway({ db, team }: Writer, user: Whose, doomed: Doomed[]): Promise<Gone[]> {
  const { rows } = await sql<Gone>`
    delete from ${sql.table('summaries')} as summaries
     where user_id = ${user.id} and team_id = ${team.id} and id = any (${doomed.map(({ id }) => id)}::uuid[])
    returning id, resource, provider, source_type, app_id, device_id, provider_id, calendar_date,
      greatest(clock_timestamp(), updated_at + interval '1 millisecond') as deleted_at`.execute(db);
  return rows;
}

function told(ctx: Writer, user: { id: string; client_user_id: string }, gone: Gone): Publication[] {
  const { id, resource, provider_id, calendar_date, deleted_at, ...from } = gone;
  const type = eventsOf({ name: resource }).deleted;
  if (!type) return [];
  const source = renderSource(ctx.config, from);
  const data = { id, user_id: user.id, provider_id: provider_id ?? id, calendar_date, source, deleted_at };
  return [{ type, user, data, origin: ctx.origin }];
}
