// The one way by which summaries go that their source has deleted, whoever says so; what an erasure of a person takes away is told to nobody.
import { sql, type RawBuilder } from 'kysely';
import { publishEvents, type Publication } from '../../../events/publish.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import type { Writer } from '../../one-writer.ts';
import { renderSource } from '../../source.ts';
import { eventsOf } from '../events.ts';
import { SUMMARIES } from '../resources.ts';

type Gone = {
  id: string;
  resource: string;
  provider: string;
  source_type: string;
  app_id: string | null;
  device_id: string | null;
  provider_id: string | null;
  calendar_date: string | null;
  deleted_at: string;
};

/** Kinds that name a summary of another kind, by whose going they go. */
const BELONGING = SUMMARIES.flatMap(({ name, references = {} }) =>
  Object.entries(references).map(([field, to]) => ({ name, field, to })),
);

/**
 * Deletes those of a user's summaries of which `which` is true, with their points and what belongs to them, and tells of each; at most
 * `most`, beside what belongs to those. Of devices that is no event.
 */
export async function deleteSummaries(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  { which, most }: { which: RawBuilder<unknown>; most: number },
): Promise<Gone[]> {
  const gone = await takeAway(ctx, user, sql`${which} limit ${most}`);
  const belonging = BELONGING.flatMap(({ name, field, to }) => {
    const ids = gone.flatMap(({ id, resource }) => (resource === to ? [id] : []));
    return ids.length === 0 ? [] : [sql`resource = ${name} and values ->> ${field} = any (${ids}::text[])`];
  });
  for (const each of belonging) gone.push(...(await takeAway(ctx, user, each)));
  await publishEvents(ctx, gone.flatMap((each) => told(ctx, user, each)) as never);
  await askForRuns(
    ctx,
    user,
    gone.map(({ resource }) => resource),
  );
  return gone;
}

/** Planned each time, as all that looks for rows of summaries. */
async function takeAway({ db, team }: Writer, user: { id: string }, which: RawBuilder<unknown>): Promise<Gone[]> {
  const { rows } = await sql<Gone>`
    delete from ${sql.table('summaries')} as summaries
     where user_id = ${user.id} and id in (
       select id from summaries where user_id = ${user.id} and team_id = ${team.id} and ${which})
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
