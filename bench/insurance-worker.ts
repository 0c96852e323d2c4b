// A client process of the insurance benchmark: inserts for a while by bare pg or through HTTP, and reports the number.
import pg from 'pg';
import { newId } from '../src/ids.ts';
import { company, insuranceRequest } from './insurance-request.ts';
import { openKeepAlive } from './keep-alive.ts';

export type Work = {
  by: 'bare pg' | 'http';
  /** The URL of the database for `bare pg`, and of the service for `http`. */
  url: string;
  teamApiKey: string;
  teamId: string;
  userId: string;
  /** Connections, each with one insert at a time. */
  connections: number;
  warmUpMs: number;
  measureMs: number;
};

/** `made` is the number of all inserts, and `counted` the number of those within the measured time. */
export type Done = { counted: number; made: number; seconds: number };

process.once('message', (work: Work) => void run(work));

async function run(work: Work): Promise<void> {
  const { loops, close } = work.by === 'http' ? await openHttp(work) : openBare(work);
  const begin = performance.now() + work.warmUpMs;
  const end = begin + work.measureMs;
  let counted = 0;
  let made = 0;
  const repeat = async (insert: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      await insert();
      const now = performance.now();
      made += 1;
      if (now >= end) return;
      if (now >= begin) counted += 1;
    }
  };
  await Promise.all(loops.map(repeat));
  await close();
  process.send?.({ counted, made, seconds: work.measureMs / 1000 } satisfies Done);
  process.disconnect();
}

/** Each connection inserts one row at a time. */
type Inserter = { loops: (() => Promise<unknown>)[]; close: () => Promise<void> };

/** Inserts as fast as pg can: by a prepared statement, one transaction each. Only the id is made for each insert. */
function openBare({ url, connections, teamId, userId }: Work): Inserter {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    options: `-c role=phial_app -c phial.team=${teamId}`,
  });
  const { payor_code, relationship, is_primary, ...details } = insuranceRequest;
  const text = `insert into insurances (user_id, id, team_id, payor_code, relationship, is_primary, details, company)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  // The details are not encrypted, because we compare with an insert that does nothing else.
  const insert = (): Promise<unknown> =>
    pool.query({
      name: 'insert',
      text,
      values: [
        userId,
        newId(),
        teamId,
        payor_code,
        relationship,
        is_primary,
        Buffer.from(JSON.stringify(details)),
        company,
      ],
    });
  return { loops: Array.from({ length: connections }, () => insert), close: () => pool.end() };
}

async function openHttp({ url, connections, teamApiKey, userId }: Work): Promise<Inserter> {
  const body = JSON.stringify(insuranceRequest);
  const request = Buffer.from(
    `POST /v2/user/${userId}/insurance HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-service-api-key: ${teamApiKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const clients = await Promise.all(Array.from({ length: connections }, () => openKeepAlive(url, request)));
  return {
    loops: clients.map(({ send }) => async () => {
      const status = await send();
      if (status !== 200) throw new Error(`The service answered ${status}.`);
    }),
    close: async () => {
      for (const client of clients) client.close();
    },
  };
}
