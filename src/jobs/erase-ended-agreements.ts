// Erases data of a provider some weeks after the user's agreement (the consent to give us the data) ended. Some
// providers require this in their rules.
import { sql } from 'kysely';
import { Type } from 'typebox';
import { recordAudit } from '../audit/record-audit.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
import { addJobUnlessThere, defineJob } from '../db/define-job.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../tenancy/teams/team-scope.ts';
import { forgetEnded, lockEnded } from '../wearables/connections/tokens/ended-agreements.ts';
import { eraseSomeOfProvider as eraseSummaries } from '../wearables/summaries/erase.ts';
import { eraseSomeOfProvider as eraseSamples } from '../wearables/timeseries/erase.ts';

/** The most agreements of one run. The next run starts within ten minutes. */
const MOST = 100;

const erasureRound = defineJob({
  name: 'erase_some_ended_agreements',
  payload: Type.Object({}),
  key: () => 'erase ended agreements',
  class: 'erasures',
  run: (ctx) => eraseEnded(ctx),
});

const beginning = defineJob({
  name: 'erase_ended_agreements',
  payload: Type.Object({}),
  cron: { at: '*/10 * * * *', payload: {} },
  run: (ctx) => inTransaction(ctx, ({ db }) => addJobUnlessThere(db, erasureRound, {})),
});

export const endedAgreementJobs = [erasureRound, beginning];

type EndedAgreement = { user_id: string; client_user_id: string; provider: string; team_id: string };

/**
 * Erases the data of ended agreements until all are done or the process stops. If one agreement fails, it logs the
 * error and continues with the others, and a later run tries again.
 */
export async function eraseEnded(ctx: Ctx): Promise<void> {
  await refuseIfClockIsOff(ctx);
  const { rows } = await sql<EndedAgreement>`
    select user_id, client_user_id, provider, ended_agreements.team_id
      from ended_agreements join users on users.id = user_id
     where erase_at <= now() order by erase_at limit ${MOST}`.execute(acrossTeams(ctx).db);
  for (const ended of rows) {
    if (ctx.stopping?.aborted) return;
    try {
      await eraseOf(ctx, ended);
    } catch (err) {
      ctx.log.error(
        { err, team_id: ended.team_id, provider: ended.provider },
        'data of a provider could not be erased',
      );
    }
  }
}

/**
 * Erases samples and summaries in chunks, each in a separate transaction. If the user connects to the provider again
 * meanwhile, the remaining data stay.
 */
async function eraseOf(ctx: Ctx, ended: EndedAgreement): Promise<void> {
  const team = await findTeamScopeOrNull(ctx, ended.team_id);
  if (!team) return;
  const scoped = forTeam(ctx, team);
  const user = { id: ended.user_id, client_user_id: ended.client_user_id };
  const step = (work: (tx: TxCtx<TeamCtx>) => Promise<boolean>): Promise<boolean> =>
    inTransaction(scoped, async (tx) => !ctx.stopping?.aborted && (await lockEnded(tx, ended)) && (await work(tx)));
  for (const eraseSome of [eraseSamples, eraseSummaries])
    while (await step((tx) => eraseSome(tx, user, ended.provider)));
  await step(async (tx) => {
    await forgetEnded(tx, ended);
    await recordAudit(tx, {
      team_id: team.id,
      action: 'provider_data.erased',
      actor: 'erase_ended_agreements',
      records: [user.id],
    });
    return false;
  });
}
