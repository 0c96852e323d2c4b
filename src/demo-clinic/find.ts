import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import type { DemoClinic } from './schemas.ts';
import { STEPS } from './steps.ts';

type Row = {
  state: Static<typeof DemoClinic>['state'] | null;
  done: number | null;
  started_at: string | null;
  ended_at: string | null;
  team_is_empty: boolean;
};

/** Throws sandbox_only in production, where nobody may mistake invented people for patients. */
export function refuseOutsideOfSandbox({ config }: TeamCtx): void {
  if (config.environment === 'sandbox') return;
  throw new AppError('sandbox_only', 'The demo clinic exists in the sandbox only.');
}

/** Returns how far the demo clinic of the team is. Throws sandbox_only. */
export async function findDemoClinic(ctx: TeamCtx): Promise<Static<typeof DemoClinic>> {
  refuseOutsideOfSandbox(ctx);
  const { rows } = await sql<Row>`
    select state, done, started_at, ended_at,
           not exists (select from users where team_id = ${ctx.team.id})
             and not exists (select from webhooks where team_id = ${ctx.team.id}) as team_is_empty
      from (select) as nothing left join demo_clinics on team_id = ${ctx.team.id}`.execute(ctx.db);
  const { state, done, team_is_empty, started_at, ended_at } = rows[0] as Row;
  return {
    state: state ?? 'none',
    done: done ?? 0,
    total: STEPS.length,
    next: state === 'loading' ? (STEPS[done ?? 0]?.words ?? null) : null,
    team_is_empty,
    started_at,
    ended_at,
  };
}
