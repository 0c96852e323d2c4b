// Measures how many samples a second the service stores, compared with the same upsert by bare pg, with an empty table
// and with five million rows in it. Also measures how long a week with a value each minute takes to read, and how many
// bytes a sample takes.
import pg from 'pg';
import { median } from './describe-machine.ts';
import type { MeasuredProgram } from './measured-program.ts';
import { withProgram } from './with-program.ts';
import { judge } from './judge.ts';
import { work } from './samples-client.ts';
import type { Work } from './samples-worker.ts';

const INGEST_GOAL = 0.35;
const READ_GOAL = 2.5;
const BYTES_GOAL = 110;
const ROUNDS = 5;
const TARGETS = 4;
const MILLIONS = 5;
const WARM_UP_MS = 1_000;
const MEASURE_MS = 4_000;
const SERVICE_WARM_UP_MS = 8_000;
const WEEK_MINUTES = 7 * 1_440;
const READS = 25;

/** Bare pg and HTTP alternate on one server and one table. Returns true if every goal is reached. */
export const benchSamples = (): Promise<boolean> =>
  withProgram({}, async (program, databaseUrl) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      return await measure(program, databaseUrl, client);
    } finally {
      await client.end();
    }
  });

async function measure(program: MeasuredProgram, databaseUrl: string, client: pg.Client): Promise<boolean> {
  const { team_id: teamId, team_api_key: teamApiKey } = program.credentials();
  const targets: Work['targets'] = [];
  while (targets.length < TARGETS) targets.push(await makeTarget(program, client, teamId, teamApiKey));
  let from = Math.floor(Date.now() / 1000) - 300 * 86_400;
  const common = { teamId, teamApiKey, targets, measureMs: MEASURE_MS, warmUpMs: WARM_UP_MS };
  const go = async (what: Omit<Work, 'from' | keyof typeof common> & Partial<Work>): Promise<number> => {
    const done = await work({ ...common, ...what, from });
    from = done.until;
    return done.counted / done.seconds;
  };
  const http = { by: 'http', url: program.baseUrl } as const;
  const compare = async (what: string): Promise<number> => {
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const bare = await go({ by: 'bare pg', url: databaseUrl });
      const whole = await go(http);
      ratios.push(whole / bare);
      console.log(
        `${what}, round ${round}: bare pg ${bare.toFixed(0)} rows/s, HTTP ${whole.toFixed(0)} rows/s, ratio ` +
          `${(whole / bare).toFixed(2)}`,
      );
    }
    return median(ratios);
  };

  await go({ ...http, warmUpMs: 0, measureMs: SERVICE_WARM_UP_MS });
  const empty = await compare('empty table');
  const bytes = await bytesASample(client);
  await fill(client, teamId);
  const full = await compare(`${MILLIONS} million rows`);
  const read = await compareReads(program, databaseUrl, client, { teamId, teamApiKey });

  return [
    judge('ingestion into an empty table, of bare pg', empty, 'at least', INGEST_GOAL),
    judge(`ingestion beside ${MILLIONS} million rows, of bare pg`, full, 'at least', INGEST_GOAL),
    judge('reading a week of minutes, times the bare query', read, 'at most', READ_GOAL),
    judge('bytes a sample with its index', bytes, 'at most', BYTES_GOAL),
  ].every(Boolean);
}

/** Makes a user for HTTP, and a stream (one series from one source) of the same user for bare pg. */
async function makeTarget(
  program: MeasuredProgram,
  client: pg.Client,
  teamId: string,
  teamApiKey: string,
): Promise<Work['targets'][number]> {
  const response = await fetch(`${program.baseUrl}/v2/user`, {
    method: 'POST',
    headers: { 'x-service-api-key': teamApiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ client_user_id: `bench-${Math.random()}` }),
  });
  const { user_id: userId } = (await response.json()) as { user_id: string };
  return { userId, streamId: await makeStream(client, teamId, userId, 'bare') };
}

async function makeStream(client: pg.Client, teamId: string, userId: string, kind: string): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `insert into streams (user_id, team_id, resource, provider, source_type, kind)
     values ($1, $2, 'heartrate', 'manual', 'unknown', $3) returning id`,
    [userId, teamId, kind],
  );
  return Number(rows[0]?.id);
}

/** Returns the bytes of the table and its indexes, divided by the number of stored samples. */
async function bytesASample(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(`
    select (select sum(pg_total_relation_size(relid)) from pg_partition_tree('samples'))::float8
           / (select count(*) from samples) as bytes`);
  return Number(rows[0]?.bytes);
}

/** Adds rows of other streams in the same months, as a real service has them. */
async function fill(client: pg.Client, teamId: string): Promise<void> {
  console.log(`writing ${MILLIONS} million rows`);
  await client.query(
    `insert into samples (stream_id, at, value, team_number, timezone_offset)
     select 1000000 + stream, now() - make_interval(mins => minute), 60, (select number from teams where id = $1), 0
       from generate_series(1, $2::int) as stream, generate_series(1, 100000) as minute`,
    [teamId, MILLIONS * 10],
  );
  await client.query('vacuum analyze samples');
}

/** Returns how many times as long a week takes through HTTP, page after page, as by one bare query. Uses medians. */
async function compareReads(
  program: MeasuredProgram,
  databaseUrl: string,
  client: pg.Client,
  { teamId, teamApiKey }: { teamId: string; teamApiKey: string },
): Promise<number> {
  const { userId } = await makeTarget(program, client, teamId, teamApiKey);
  const streamId = await makeStream(client, teamId, userId, '');
  await client.query(
    `insert into samples (stream_id, at, value, team_number, timezone_offset)
     select $1, timestamptz '2026-01-05' + make_interval(mins => minute), 60 + minute % 7, (select number
       from teams where id = $2), 0
       from generate_series(0, $3::int - 1) as minute`,
    [streamId, teamId, WEEK_MINUTES],
  );
  const bare = new pg.Client({ connectionString: databaseUrl, options: `-c role=phial_app -c phial.team=${teamId}` });
  await bare.connect();
  const byPg = async (): Promise<number> => {
    const { rows } = await bare.query({
      name: 'week',
      text: `select at, value, duration_ms, timezone_offset, extra from samples
              where stream_id = $1 and at >= $2 and at <= $3 order by at`,
      values: [streamId, '2026-01-05T00:00:00Z', '2026-01-11T23:59:59.999Z'],
    });
    return rows.length;
  };
  const byHttp = async (): Promise<number> => {
    let count = 0;
    for (let cursor = ''; ;) {
      const response = await fetch(
        `${program.baseUrl}/v2/timeseries/${userId}/heartrate/grouped?start_date=2026-01-05&end_date=2026-01-11${cursor && `&next_cursor=${cursor}`}`,
        { headers: { 'x-service-api-key': teamApiKey } },
      );
      const body = await response.text();
      count += body.split('"timestamp"').length - 1;
      const next = /"next_cursor":"([^"]+)"/.exec(body)?.[1];
      if (next === undefined) return count;
      cursor = next;
    }
  };
  const times: Record<'bare' | 'http', number[]> = { bare: [], http: [] };
  for (let round = 0; round < READS; round += 1) {
    for (const [name, read] of [
      ['bare', byPg],
      ['http', byHttp],
    ] as const) {
      const begin = performance.now();
      if ((await read()) !== WEEK_MINUTES) throw new Error('The answers do not have the whole week.');
      times[name].push(performance.now() - begin);
    }
  }
  await bare.end();
  const [bareMs, httpMs] = [median(times.bare.slice(5)), median(times.http.slice(5))];
  console.log(`a week of minutes: bare query ${bareMs.toFixed(1)} ms, HTTP ${httpMs.toFixed(1)} ms`);
  return httpMs / bareMs;
}
