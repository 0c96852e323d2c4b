// Measures how long a query takes that sums a year of samples by day, with a sample each minute. The samples come from
// one source, from three sources that measure the same minutes, or from three sources that measure parts of each
// minute. Each time is compared with a plain statement that counts only the best source of each day.
import pg from 'pg';
import { besideProgram } from './beside-program.ts';
import { median } from './describe-machine.ts';
import { judge } from './judge.ts';

const GOAL = 2.5;
const GOAL_OF_ONE = 1.25;
const ROUNDS = 9;
const WARM_UP = 2;
const MINUTES = 365 * 1_440;
const FIRST = '2025-01-01';
const LAST = '2025-12-31';
const DEVICES = ['watch', 'ring', 'phone'];

/** `seconds` is the length of a sample. Each device measures `later` seconds after the device before it. */
type Case = { title: string; devices: readonly string[]; seconds: number; later: number; goal: number };

const CASES: readonly Case[] = [
  { title: 'one source', devices: DEVICES.slice(0, 1), seconds: 60, later: 0, goal: GOAL_OF_ONE },
  { title: 'three sources of the same minutes', devices: DEVICES, seconds: 60, later: 0, goal: GOAL },
  { title: 'three sources of parts of each minute', devices: DEVICES, seconds: 25, later: 20, goal: GOAL },
];

/** Returns true if every goal is reached. */
export const benchAggregates = (): Promise<boolean> =>
  besideProgram({}, async (program, _ctx, ownerUrl) => {
    const { team_id: teamId, team_api_key: key } = program.credentials();
    const call = async <T>(path: string, body: object): Promise<T> => {
      const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
      const response = await fetch(program.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    };
    const owner = new pg.Client({ connectionString: ownerUrl });
    const bare = new pg.Client({
      connectionString: ownerUrl,
      options: `-c role=phial_app -c phial.team=${teamId} -c timezone=UTC`,
    });
    await Promise.all([owner.connect(), bare.connect()]);
    let reached = true;
    for (const { title, devices, seconds, later, goal } of CASES) {
      const { user_id } = await call<{ user_id: string }>('/v2/user', { client_user_id: title });
      for (const [n, device] of devices.entries())
        await fill(owner, { teamId, userId: user_id, device, seconds, begin: n * later });
      await owner.query('vacuum analyze samples');
      const times: Record<'chosen' | 'merged', number[]> = { chosen: [], merged: [] };
      const timed = async (name: keyof typeof times, days: () => Promise<number>): Promise<void> => {
        const begin = performance.now();
        if ((await days()) !== 365) throw new Error('The answer does not have the whole year.');
        times[name].push(performance.now() - begin);
      };
      for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
        await timed(
          'chosen',
          async () => (await bare.query(CHOSEN_BY_DAY, [user_id, FIRST, '2026-01-01'])).rows.length,
        );
        await timed('merged', async () => {
          const { results } = await call<{ results: { table: Record<string, unknown[]> }[] }>(
            `/aggregate/v1/user/${user_id}/query`,
            QUERY,
          );
          return results[0]?.table['group_key.0']?.length ?? 0;
        });
      }
      const [chosen, merged] = [median(times.chosen.slice(WARM_UP)), median(times.merged.slice(WARM_UP))];
      const ratio = median(times.merged.slice(WARM_UP).map((ms, n) => ms / (times.chosen[n + WARM_UP] as number)));
      console.log(`${title}: one source a day ${chosen.toFixed(0)} ms, merged ${merged.toFixed(0)} ms`);
      reached = judge(`${title}, times the bare statement`, ratio, 'at most', goal) && reached;
    }
    await Promise.all([owner.end(), bare.end()]);
    return reached;
  });

const QUERY = {
  timeframe: { anchor: LAST, past: { unit: 'day', value: 365 } },
  queries: [
    {
      select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps' } }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 } }],
    },
  ],
};

async function fill(
  owner: pg.Client,
  { teamId, userId, ...of }: { teamId: string; userId: string; device: string; seconds: number; begin: number },
): Promise<void> {
  await owner.query(
    `with stream as (
       insert into streams (user_id, team_id, resource, provider, source_type)
       values ($1, $2, 'steps', 'apple_health_kit', $3) returning id
     )
     insert into samples (stream_id, at, value, team_number, duration_ms)
     select stream.id, $4::timestamptz + make_interval(mins => minute, secs => $5), minute % 100, teams.number, $6
       from stream, teams, generate_series(0, $7::int - 1) as minute where teams.id = $2`,
    [userId, teamId, of.device, FIRST, of.begin, of.seconds * 1_000, MINUTES],
  );
}

/** Sums the samples of the best source of each day, and drops all others. */
const CHOSEN_BY_DAY = `
  with sources as (
    select id, provider, source_type, row_number() over (
             order by coalesce(array_position(array['watch', 'ring', 'phone'], source_type), 99), provider) as position
      from streams where user_id = $1 and resource = 'steps' and kind = ''
  ), measured as not materialized (
    select *, local_at::date - $2::date + 1 as day from (
      select position, value, case when timezone_offset is null then at at time zone 'UTC'
             else at at time zone 'UTC' + make_interval(secs => timezone_offset) end as local_at
        from sources join samples on samples.stream_id = sources.id
       where at >= $2::timestamptz - interval '1 day' and at < $3::timestamptz + interval '1 day'
      offset 0
    ) as local where local_at >= $2::timestamp and local_at < $3::timestamp
  ), counted as (
    select * from measured where position = 1 or position = (
      select array_agg(coalesce(position, (select count(*) from sources)) order by day)
        from generate_series(1, $3::date - $2::date) as days (day)
        left join (select day, min(position) as position from measured where position < (select count(*) from sources)
                    group by day) as best using (day)
    )[day]
  )
  select to_char(day, 'YYYY-MM-DD') as day, sum(value) from (
    select date_bin(interval '1 day', local_at, timestamp '2025-01-01') as day, value from counted
  ) as located group by located.day order by located.day`;
