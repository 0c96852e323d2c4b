import type { Static, TObject } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { defineJob, type Job, type JobKind } from '../../db/define-job.ts';
import type { Uuid } from '../../wire/schema.ts';
import { findTeamScopeOrNull, forTeam } from './scope.ts';

type OfTeam = TObject<{ team_id: typeof Uuid }>;

/** Declares background work for the team that its payload names, with the team's context; of a team that is gone nothing is done. */
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
