// Measures how much processor time PostgreSQL needs when a worker is woken, many endpoints are enabled, and no delivery
// is due.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { DELIVERIES_CHANNEL } from '../../src/events/publish.ts';
import { judge } from '../judge.ts';
import { onStage, type Stage } from './stage.ts';

const GOAL_MS = 0.5;
const ENDPOINTS = 10_000;
const BETWEEN_WAKES_MS = 20;
/** A worker releases a queue without due deliveries after two renewals. */
const LET_GO_MS = 22_000;

type Size = { wakes: number; pollSeconds: number };
const WHOLE: Size = { wakes: 1_000, pollSeconds: 30 };
const QUICK: Size = { wakes: 200, pollSeconds: 5 };

/** Returns true if every way of waking a worker reaches the goal. */
export const benchClaim = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

async function measure(stage: Stage, { wakes, pollSeconds }: Size): Promise<boolean> {
  const { owner } = stage;
  const [one] = await stage.endpoints(1);
  const ids = await enableMany(stage);
  await stage.start('serve');
  await wait(2_000);

  /** Notifies of deliveries that do not exist. Returns PostgreSQL's processor time for each of these, in ms. */
  const wakeWith = async (payload: (n: number) => string): Promise<number> => {
    const used = await cpuMsWhile(stage, async () => {
      for (let n = 0; n < wakes; n += 1) {
        await owner.query('select pg_notify($1, $2)', [DELIVERIES_CHANNEL, payload(n)]);
        await wait(BETWEEN_WAKES_MS);
      }
    });
    return used / wakes;
  };
  await wakeWith(() => one?.webhook_id as string); // statements are prepared, and the queue is leased
  const owned = await wakeWith(() => one?.webhook_id as string);
  const foreign = await wakeWith((n) => ids[n % ids.length] as string);
  await wait(LET_GO_MS);
  const poll = (await cpuMsWhile(stage, () => wait(pollSeconds * 1_000))) / pollSeconds;

  const { rows } = await owner.query<{ enabled: number }>(
    'select count(*)::integer as enabled from webhooks where not disabled',
  );
  const figures: [what: string, ms: number][] = [
    ['notified of a queue that it leases', owned],
    ['notified of a queue that nobody leases, which it takes', foreign],
    ['by itself, each second', poll],
  ];
  console.log(`with ${rows[0]?.enabled} enabled endpoints`);
  return figures.map(([what, ms]) => judge(`ms of PostgreSQL, woken ${what}`, ms, 'at most', GOAL_MS)).every(Boolean);
}

/** Makes endpoints without deliveries, in one statement of the owner. Returns their ids. */
async function enableMany({ owner, endpoints }: Stage): Promise<string[]> {
  const [first] = await endpoints(1);
  await owner.query(
    `with made as (
       insert into webhooks (id, team_id, url)
       select gen_random_uuid(), team_id, url from webhooks, generate_series(1, $2::integer) where id = $1
       returning id, team_id
     ), queue as (
       insert into endpoint_queues (webhook_id, team_id) select id, team_id from made
     )
     insert into webhook_secrets (webhook_id, id, team_id, secret)
     select made.id, secrets.id, made.team_id, secrets.secret from made, webhook_secrets as secrets
       where webhook_id = $1`,
    [first?.webhook_id, ENDPOINTS],
  );
  await owner.query('vacuum analyze');
  const { rows } = await owner.query<{ id: string }>('select id from webhooks where id <> $1', [first?.webhook_id]);
  return rows.map(({ id }) => id);
}

/** Returns the milliseconds of processor time that the delivery connections use during `work`, with fractions. */
async function cpuMsWhile({ owner }: Stage, work: () => Promise<void>): Promise<number> {
  const look = async (): Promise<Map<number, number>> => {
    const { rows } = await owner.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'phial delivery'`,
    );
    // The first number of schedstat (proc(5)) counts nanoseconds.
    return new Map(rows.map(({ pid }) => [pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])]));
  };
  const before = await look();
  await work();
  // The pool closes connections that were idle for long, and these use no time.
  return [...(await look())].reduce((sum, [pid, used]) => sum + used - (before.get(pid) ?? 0), 0) / 1e6;
}
