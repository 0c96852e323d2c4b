// Stores the waits of providers. A provider limits the requests of an application or of a team. When a limit is used
// up, no process sends requests to the provider for some time.
import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import type { ProviderWaits, Wait } from '../../providers/provider-api.ts';
import { PullError } from '../../providers/importer.ts';

/**
 * One request that is sent although the application waits, to find whether it still has to wait. `answered_at`
 * identifies the wait.
 */
export type Probe = { answered_at: string };

/**
 * The seconds between two probes. Strava also counts requests that it refuses. At this interval, probes use 3 of the
 * 100 requests of a quarter of an hour.
 */
const PROBE_SECONDS = 300;
const SPREAD_SECONDS = 30;

/** Stores how long no process may send requests to a provider. A stored wait that is longer stays. */
export async function storeWaits({ db, team }: TeamCtx, provider: string, waits: ProviderWaits): Promise<void> {
  const application = waits.application && momentsOf(waits.application);
  if (application)
    await sql`
      insert into provider_waits as w (provider, polls_until, past_until, answered_to, answered_at, probe_at)
      values (${provider}, ${application.polls}, ${application.past}, ${team.id}, clock_timestamp(),
              now() + make_interval(secs => ${PROBE_SECONDS}))
      on conflict (provider) do update
        set polls_until = greatest(w.polls_until, excluded.polls_until),
            past_until = greatest(w.past_until, excluded.past_until),
            answered_to = excluded.answered_to, answered_at = excluded.answered_at,
            probe_at = excluded.probe_at`.execute(db);
  const own = waits.team && momentsOf(waits.team);
  if (own)
    await sql`
      insert into team_provider_waits as w (team_id, provider, polls_until, past_until)
      values (${team.id}, ${provider}, ${own.polls}, ${own.past})
      on conflict (team_id, provider) do update
        set polls_until = greatest(w.polls_until, excluded.polls_until),
            past_until = greatest(w.past_until, excluded.past_until)`.execute(db);
}

/**
 * Returns the waits for a team's own application. No other team uses the application, so its waits become waits of the
 * team.
 */
export function ofTeamAlone({ application, team }: ProviderWaits): ProviderWaits {
  const longest = (name: keyof Wait): number => Math.max(application?.[name] ?? 0, team?.[name] ?? 0);
  const hasWait = application !== null || team !== null;
  return {
    application: null,
    team: hasWait ? { pollsSeconds: longest('pollsSeconds'), pastSeconds: longest('pastSeconds') } : null,
  };
}

const momentsOf = ({ pollsSeconds, pastSeconds }: Wait) => {
  const momentIn = (seconds: number) => sql`now() + make_interval(secs => ${seconds}::float8)`;
  return { polls: momentIn(pollsSeconds), past: momentIn(pastSeconds) };
};

/**
 * Throws PullError while no requests may be sent to the provider. This does not count as a try. Every five minutes one
 * request may be sent as a probe, to find whether the application still has to wait. A team whose own request was
 * refused does not send the probe. `claimProbe` claims the probe for the next request, and throws if another process
 * was faster. It is null if nobody waits. `hasOwn` is true for a connection of the team's own application. Such a
 * connection does not wait for other applications.
 */
export async function refuseWhileDeferred(
  { db, team }: TeamCtx,
  { user_id, provider }: { user_id: string; provider: string },
  past: boolean,
): Promise<{ hasOwn: boolean; claimProbe: (() => Promise<Probe>) | null }> {
  const until = past ? sql`greatest(past_until, polls_until)` : sql`polls_until`;
  const seconds = (moment: ReturnType<typeof sql>) => sql`extract(epoch from ${moment} - now())::float8`;
  const {
    rows: [wait],
  } = await sql<{ own: number | null; application: number | null; probe: number | null; has_own: boolean }>`
    select (select ${seconds(until)} from team_provider_waits
             where team_id = ${team.id} and provider = ${provider}) as own,
           application, probe, has_own
      from (select exists (select from connections where user_id = ${user_id} and provider = ${provider}
                              and team_id = ${team.id} and credential_id is not null) as has_own) one left join (
        select ${seconds(until)} as application,
               case when answered_to is distinct from ${team.id}
                    then greatest(${seconds(sql`probe_at`)}, 0) end as probe
          from provider_waits where provider = ${provider}) shared on not has_own`.execute(db);
  const own = Math.max(wait?.own ?? 0, 0);
  const shared = Math.max(wait?.application ?? 0, 0);
  const hasOwn = wait?.has_own ?? false;
  if (own === 0 && shared === 0) return { hasOwn, claimProbe: null };
  // A team that may send the next probe tries again when this probe is due.
  if (own > 0 || wait?.probe !== 0) throw deferralFor(Math.max(own, Math.min(shared, wait?.probe ?? Infinity)));
  const claimProbe = async (): Promise<Probe> => {
    const { rows } = await sql<Probe>`
      update provider_waits set probe_at = now() + make_interval(secs => ${PROBE_SECONDS})
       where provider = ${provider} and probe_at <= now() and answered_to is distinct from ${team.id}
      returning answered_at::text as answered_at`.execute(db);
    if (!rows[0]) throw deferralFor(Math.min(shared, PROBE_SECONDS));
    return rows[0];
  };
  return { hasOwn, claimProbe };
}

/** Returns the error of a wait, with a random part, so that not all retries come at the same moment. */
const deferralFor = (seconds: number): PullError =>
  new PullError('provider_rate_limit_exceeded', Math.ceil(seconds + Math.random() * SPREAD_SECONDS), {
    isDeferred: true,
  });

/** Ends the wait of the application, unless the provider has set another wait since the probe began. */
export async function endWait({ db }: TeamCtx, provider: string, { answered_at }: Probe): Promise<void> {
  await sql`delete from provider_waits where provider = ${provider}
    and answered_at = ${answered_at}::timestamptz`.execute(db);
}
