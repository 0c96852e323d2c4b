// A client process of the samples benchmark: sends batches for a while by bare pg or through HTTP, and reports the
// number of rows.
import pg from 'pg';
import { openKeepAlive } from './keep-alive.ts';

export type Work = {
  by: 'bare pg' | 'http';
  /** The URL of the database for `bare pg`, and of the service for `http`. */
  url: string;
  teamApiKey: string;
  teamId: string;
  /** There is one client for each target. By HTTP it writes to the user, and by bare pg to the stream (one series). */
  targets: { userId: string; streamId: number }[];
  /** The first moment of the samples, in seconds since 1970. Each client advances by a second for each sample. */
  from: number;
  warmUpMs: number;
  measureMs: number;
};

/**
 * `made` is the number of all rows, and `counted` the number of those within the measured time. `until` is the end of
 * the last sample, in seconds since 1970.
 */
export type Done = { counted: number; made: number; seconds: number; until: number };

export const BATCH = 1_000;

process.once('message', (work: Work) => void run(work));

async function run(work: Work): Promise<void> {
  const { loops, close } = work.by === 'http' ? await openHttp(work) : openBare(work);
  const begin = performance.now() + work.warmUpMs;
  const end = begin + work.measureMs;
  let counted = 0;
  let made = 0;
  let until = work.from;
  const repeat = async (send: (from: number) => Promise<unknown>): Promise<void> => {
    for (let from = work.from; ; from += BATCH) {
      await send(from);
      const now = performance.now();
      made += BATCH;
      until = Math.max(until, from + BATCH);
      if (now >= end) return;
      if (now >= begin) counted += BATCH;
    }
  };
  await Promise.all(loops.map(repeat));
  await close();
  process.send?.({ counted, made, seconds: work.measureMs / 1000, until } satisfies Done);
  process.disconnect();
}

type Sender = { loops: ((from: number) => Promise<unknown>)[]; close: () => Promise<void> };

const moments = (from: number): string[] =>
  Array.from({ length: BATCH }, (_, n) => new Date((from + n) * 1000).toISOString());
const valueAt = (n: number): number => 55 + (n % 40);

/**
 * Writes samples by a prepared upsert, one transaction each, and does nothing else. It looks up each sample, which the
 * service's own statement does not need to do.
 */
function openBare({ url, teamId, targets }: Work): Sender {
  const pool = new pg.Pool({
    connectionString: url,
    max: targets.length,
    options: `-c role=phial_app -c phial.team=${teamId}`,
  });
  const text = `
    with written as (
    insert into samples (stream_id, at, value, team_number, duration_ms, timezone_offset, extra)
    select s.stream_id, s.at, s.value, (select number from teams where id = $7), s.duration_ms, s.timezone_offset,
      s.extra
      from unnest($1::bigint[], $2::timestamptz[], $3::float8[], $4::integer[], $5::integer[], $6::jsonb[])
        as s (stream_id, at, value, duration_ms, timezone_offset, extra)
    on conflict (stream_id, at) do nothing
    returning stream_id, at
    )
    select many, stream_id, at from (select count(*)::integer as many from written) as counted left
      join written on many < ${BATCH}`;
  const nothing = Array.from({ length: BATCH }, () => null);
  const values = Array.from({ length: BATCH }, (_, n) => valueAt(n));
  const offsets = Array.from({ length: BATCH }, () => -25_200);
  return {
    loops: targets.map(
      ({ streamId }) =>
        (from) =>
          pool.query({
            name: 'write',
            text,
            values: [values.map(() => streamId), moments(from), values, nothing, offsets, nothing, teamId],
          }),
    ),
    close: () => pool.end(),
  };
}

async function openHttp({ url, teamApiKey, targets }: Work): Promise<Sender> {
  const senders = await Promise.all(
    targets.map(async ({ userId }) => {
      let next = 0;
      const client = await openKeepAlive(url, () => requestOf(url, teamApiKey, userId, next));
      const send = async (from: number): Promise<void> => {
        next = from;
        const status = await client.send();
        if (status !== 200) throw new Error(`The service answered ${status}.`);
      };
      return { send, close: client.close };
    }),
  );
  return {
    loops: senders.map(({ send }) => send),
    close: async () => {
      for (const { close } of senders) close();
    },
  };
}

function requestOf(url: string, teamApiKey: string, userId: string, from: number): Buffer {
  const samples = moments(from).map(
    (timestamp, n) =>
      `{"resource":"heartrate","provider":"apple_health_kit","source_type":"watch","timestamp":"${timestamp}",` +
      `"timezone_offset":-25200,"unit":"bpm","value":${valueAt(n)}}`,
  );
  const body = `[${samples.join(',')}]`;
  return Buffer.from(
    `POST /v2/timeseries/${userId}/samples HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-service-api-key: ` +
      `${teamApiKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
