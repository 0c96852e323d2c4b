// An application has a share of what a provider answers: where it is used up, every process stops asking for a while.
import { sql } from 'kysely';
import type { TeamCtx } from '../../../../context.ts';
import { PullError } from '../../puller.ts';

/** Seconds from now for which nothing is asked; 0: it may be. Pulls of the past begin to wait before the rest does. */
export type Hold = { pollsSeconds: number; pastSeconds: number };

const SPREAD_SECONDS = 30;

/** Keeps every process from asking a provider; a hold that lasts longer stays. */
export async function holdBack({ db }: TeamCtx, provider: string, hold: Hold): Promise<void> {
  await sql`
    insert into provider_waits as w (provider, polls_until, past_until)
    values (${provider}, now() + make_interval(secs => ${hold.pollsSeconds}), now() + make_interval(secs => ${hold.pastSeconds}))
    on conflict (provider) do update
      set polls_until = greatest(w.polls_until, excluded.polls_until), past_until = greatest(w.past_until, excluded.past_until)`.execute(
    db,
  );
}

/** Throws PullError, which is no try of the pull, while the provider is not to be asked. */
export async function refuseWhileHeldBack({ db }: TeamCtx, provider: string, past: boolean): Promise<void> {
  const {
    rows: [row],
  } = await sql<{ seconds: number }>`
    select extract(epoch from ${past ? sql`greatest(past_until, polls_until)` : sql`polls_until`} - now())::float8 as seconds
      from provider_waits where provider = ${provider}`.execute(db);
  if (row && row.seconds > 0) {
    // Not all that wait come back at the same moment.
    const seconds = Math.ceil(row.seconds + Math.random() * SPREAD_SECONDS);
    throw new PullError('provider_rate_limit_exceeded', seconds, { heldBack: true });
  }
}
