// An application, or a team, has a share of what a provider answers: where it is used up, every process stops asking for a while.
import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import type { Hold, Wait } from '../../providers/provider-api.ts';
import { PullError } from '../../providers/importer.ts';

/** A question that is asked although the application waits; it is of the wait that was told at that moment. */
export type Probe = { told_at: string };

/** Strava counts what it refuses as well: three questions a quarter of an hour, of a hundred. */
const PROBE_SECONDS = 300;
const SPREAD_SECONDS = 30;

/** Keeps every process from asking a provider; a wait that lasts longer stays. */
export async function holdBack({ db, team }: TeamCtx, provider: string, hold: Hold): Promise<void> {
  const application = hold.application && momentsOf(hold.application);
  if (application)
    await sql`
      insert into provider_waits as w (provider, polls_until, past_until, told_by, told_at, probe_at)
      values (${provider}, ${application.polls}, ${application.past}, ${team.id}, clock_timestamp(),
              now() + make_interval(secs => ${PROBE_SECONDS}))
      on conflict (provider) do update
        set polls_until = greatest(w.polls_until, excluded.polls_until),
            past_until = greatest(w.past_until, excluded.past_until),
            told_by = excluded.told_by, told_at = excluded.told_at, probe_at = excluded.probe_at`.execute(db);
  const own = hold.team && momentsOf(hold.team);
  if (own)
    await sql`
      insert into team_provider_waits as w (team_id, provider, polls_until, past_until)
      values (${team.id}, ${provider}, ${own.polls}, ${own.past})
      on conflict (team_id, provider) do update
        set polls_until = greatest(w.polls_until, excluded.polls_until),
            past_until = greatest(w.past_until, excluded.past_until)`.execute(db);
}

/** Of a team's own application: nobody else asks by it. */
export function ofTeamAlone({ application, team }: Hold): Hold {
  const longest = (name: keyof Wait): number => Math.max(application?.[name] ?? 0, team?.[name] ?? 0);
  const isHeld = application !== null || team !== null;
  return {
    application: null,
    team: isHeld ? { pollsSeconds: longest('pollsSeconds'), pastSeconds: longest('pastSeconds') } : null,
  };
}

const momentsOf = ({ pollsSeconds, pastSeconds }: Wait) => {
  const momentIn = (seconds: number) => sql`now() + make_interval(secs => ${seconds}::float8)`;
  return { polls: momentIn(pollsSeconds), past: momentIn(pastSeconds) };
};

/**
 * Throws PullError, which is no try of the pull, while the provider is not to be asked. A question that is to show whether
 * the application has to wait any longer is a probe: one each five minutes, of other teams than that which was told so.
 * `claimProbe` takes it for a question that can be asked at once, and throws where somebody else was faster; null where
 * nobody has to wait. A connection that was made by the team's own application (`hasOwn`) waits for nobody else's.
 */
export async function refuseWhileHeldBack(
  { db, team }: TeamCtx,
  { user_id, provider }: { user_id: string; provider: string },
  past: boolean,
): Promise<{ hasOwn: boolean; claimProbe: (() => Promise<Probe>) | null }> {
  const until = past ? sql`greatest(past_until, polls_until)` : sql`polls_until`;
  const seconds = (moment: ReturnType<typeof sql>) => sql`extract(epoch from ${moment} - now())::float8`;
  const {
    rows: [wait],
  } = await sql<{ own: number | null; application: number | null; probe: number | null; has_own: boolean }>`
    select (select ${seconds(until)} from team_provider_waits where team_id = ${team.id} and provider = ${provider}) as own,
           application, probe, has_own
      from (select exists (select from connections where user_id = ${user_id} and provider = ${provider}
                              and team_id = ${team.id} and credential_id is not null) as has_own) one left join (
        select ${seconds(until)} as application,
               case when told_by is distinct from ${team.id} then greatest(${seconds(sql`probe_at`)}, 0) end as probe
          from provider_waits where provider = ${provider}) shared on not has_own`.execute(db);
  const own = Math.max(wait?.own ?? 0, 0);
  const shared = Math.max(wait?.application ?? 0, 0);
  const hasOwn = wait?.has_own ?? false;
  if (own === 0 && shared === 0) return { hasOwn, claimProbe: null };
  // Who may be the next to probe comes back for it.
  if (own > 0 || wait?.probe !== 0) throw heldBackFor(Math.max(own, Math.min(shared, wait?.probe ?? Infinity)));
  const claimProbe = async (): Promise<Probe> => {
    const { rows } = await sql<Probe>`
      update provider_waits set probe_at = now() + make_interval(secs => ${PROBE_SECONDS})
       where provider = ${provider} and probe_at <= now() and told_by is distinct from ${team.id}
      returning told_at::text as told_at`.execute(db);
    if (!rows[0]) throw heldBackFor(Math.min(shared, PROBE_SECONDS));
    return rows[0];
  };
  return { hasOwn, claimProbe };
}

/** Not all that wait come back at the same moment. */
const heldBackFor = (seconds: number): PullError =>
  new PullError('provider_rate_limit_exceeded', Math.ceil(seconds + Math.random() * SPREAD_SECONDS), {
    heldBack: true,
  });

/** The application waits no longer, unless it was told to anew since the probe began. */
export async function endWait({ db }: TeamCtx, provider: string, { told_at }: Probe): Promise<void> {
  await sql`delete from provider_waits where provider = ${provider} and told_at = ${told_at}::timestamptz`.execute(db);
}
