import type { Static, TObject } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { defineJob, type Job, type JobKind } from '../../db/define-job.ts';
import type { Uuid } from '../../wire/schema.ts';
import { findTeamScopeOrNull, forTeam } from './team-scope.ts';

type OfTeam = TObject<{ team_id: typeof Uuid }>;

/**
 * Declares a background job whose payload names a team. The job runs with the context of that team. If the team is
 * deleted, it does nothing.
 */
export const defineTeamJob = <T extends OfTeam>({
  run,
  ...kind
}: JobKind<T> & { run: (ctx: TeamCtx, payload: Static<T>) => Promise<void> }): Job<T> =>
  defineJob({
    ...kind,
    run: async (ctx, payload) => {
      const team = await findTeamScopeOrNull(ctx, payload.team_id);
      if (team) await run(forTeam(ctx, team), payload);
    },
  });
