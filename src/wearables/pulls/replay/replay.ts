import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { notFound } from '../../../errors.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { forTeam } from '../../../tenancy/teams/scope.ts';
import { usersWithPayloads, type Wanted } from '../../summaries/replay/read-payloads.ts';
import { isGone, type Mapper } from '../../providers/importer.ts';
import { replaySome, type Counts } from './replay-some.ts';

const USERS = 100;

type Hears = {
  /** Of each team before anything of it is touched. */
  begin: (ctx: TeamCtx) => Promise<void>;
  /** After each step, of all that was done so far. */
  report: (counts: Readonly<Counts>) => void;
};

type Replay = {
  provider: string;
  mappers: readonly Mapper[];
  /** Of one team only; null: of all. */
  team_id: string | null;
  since: string | null;
};

/**
 * Maps stored payloads of a provider again, team after team and a few hundred in a transaction, beside running services and as
 * often as one likes: what comes of them as it is changes nothing. Throws not_found for an unknown team.
 */
export async function replay(
  ctx: Ctx,
  { provider, mappers, team_id, since }: Replay,
  { begin, report }: Hears,
): Promise<Counts> {
  const counts: Counts = { updated: 0, unchanged: 0, skipped: 0, not_pulled: 0 };
  const wanted = { provider, resources: mappers.map(({ resource }) => resource.name), since };
  for (const team of await teamsOf(ctx, team_id)) {
    const scoped = forTeam(ctx, team);
    let after: string | null = null;
    for (;;) {
      const users = await usersWithPayloads(scoped, wanted, { after, most: USERS });
      if (after === null && users.length > 0) await begin(scoped);
      for (const user of users) await replayUser(scoped, user, { wanted, mappers, counts, report });
      if (users.length < USERS) break;
      after = users.at(-1) as string;
    }
  }
  return counts;
}

type Work = { wanted: Wanted; mappers: readonly Mapper[]; counts: Counts };

/** Deleted ones are not touched. */
async function teamsOf(ctx: Ctx, teamId: string | null): Promise<TeamCtx['team'][]> {
  const { rows } = await sql<TeamCtx['team']>`
    select id, org_id, settings from teams
     where deleted_at is null and (${teamId}::uuid is null or id = ${teamId}::uuid) order by id`.execute(
    acrossTeams(ctx).db,
  );
  if (teamId !== null && rows.length === 0) throw notFound('Team');
  return rows;
}

async function replayUser(
  ctx: TeamCtx,
  userId: string,
  { wanted, mappers, counts, report }: Pick<Hears, 'report'> & Work,
): Promise<void> {
  let after: string | null = null;
  do {
    const step = { ...counts };
    try {
      after = await ctx.bulk.run(ownerOf(ctx.team), (giveWay) =>
        replaySome({ ...ctx, giveWay }, userId, { wanted, mappers }, { after, counts: step }),
      );
    } catch (error) {
      if (!isGone(error)) throw error;
      return;
    }
    Object.assign(counts, step);
    report(counts);
  } while (after !== null);
}
