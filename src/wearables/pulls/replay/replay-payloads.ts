import { sql } from 'kysely';
import type { Ctx, TeamCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { notFound } from '../../../errors.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { forTeam } from '../../../tenancy/teams/team-scope.ts';
import { usersWithPayloads, type PayloadSelection } from '../../summaries/replay/read-payloads.ts';
import { isGone, type Mapper } from '../../providers/importer.ts';
import { replaySome, type Counts } from './replay-some.ts';

const USERS = 100;

type Listener = {
  /** Called for each team before its data changes. */
  begin: (ctx: TeamCtx) => Promise<void>;
  /** Called after each step with the counts so far. */
  report: (counts: Readonly<Counts>) => void;
};

type Replay = {
  provider: string;
  mappers: readonly Mapper[];
  /** The team; null for all teams. */
  team_id: string | null;
  since: string | null;
};

/**
 * Replays stored payloads: maps them to summaries again, team by team, some hundred in a transaction. If the result is
 * the same, the stored summary does not change. So you can replay while services are running, and repeat a replay.
 * Throws not_found for an unknown team.
 */
export async function replay(
  ctx: Ctx,
  { provider, mappers, team_id, since }: Replay,
  { begin, report }: Listener,
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

type Work = { wanted: PayloadSelection; mappers: readonly Mapper[]; counts: Counts };

/** Returns the teams that are not deleted. */
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
  { wanted, mappers, counts, report }: Pick<Listener, 'report'> & Work,
): Promise<void> {
  let after: string | null = null;
  do {
    const step = { ...counts };
    try {
      after = await ctx.batches.run(ownerOf(ctx.team), (giveWay) =>
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
