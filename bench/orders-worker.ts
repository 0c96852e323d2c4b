// A client process of the order benchmark: one kind of work for a while, by bare pg or through HTTP.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { newId } from '../src/ids.ts';
import { openKeepAlive } from './keep-alive.ts';

export type Work = {
  kind: 'create order' | 'read order' | 'create user' | 'bare select' | 'bare user';
  /** The URL of the database for the bare kinds, and of the service for all others. */
  url: string;
  teamApiKey: string;
  teamId: string;
  /** Orders are for these users in turn. Two orders of one user at the same time would wait for each other's locks. */
  userIds: string[];
  labTestId: string;
  orderId: string;
  connections: number;
  measureMs: number;
};

export type Done = { made: number; seconds: number };

process.once('message', (work: Work) => void run(work));

async function run(work: Work): Promise<void> {
  const { loops, close } = work.kind.startsWith('bare') ? openBare(work) : await openHttp(work);
  const begin = performance.now();
  const end = begin + work.measureMs;
  let made = 0;
  await Promise.all(
    loops.map(async (once) => {
      while (performance.now() < end) {
        await once();
        made += 1;
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  await close();
  process.send?.({ made, seconds } satisfies Done);
  process.disconnect();
}

type Loops = { loops: (() => Promise<unknown>)[]; close: () => Promise<void> };

function openBare({ kind, url, connections, teamId, userIds: [userId], orderId }: Work): Loops {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const select = 'select * from orders where user_id = $1 and id = $2';
  const insert = 'insert into users (id, team_id, client_user_id) values ($1, $2, $3)';
  const once =
    kind === 'bare select'
      ? () => pool.query({ name: 'select', text: select, values: [userId, orderId] })
      : () => pool.query({ name: 'insert', text: insert, values: [newId(), teamId, randomUUID()] });
  return { loops: Array.from({ length: connections }, () => once), close: () => pool.end() };
}

async function openHttp(work: Work): Promise<Loops> {
  const request = requestOf(work);
  const clients = await Promise.all(Array.from({ length: work.connections }, () => openKeepAlive(work.url, request)));
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

function requestOf({ kind, url, teamApiKey, userIds, labTestId, orderId }: Work): Buffer | (() => Buffer) {
  const head = `HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-service-api-key: ${teamApiKey}\r\n`;
  const post = (path: string, body: object): Buffer => {
    const text = JSON.stringify(body);
    return Buffer.from(
      `POST ${path} ${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  };
  if (kind === 'read order') return Buffer.from(`GET /v3/order/${orderId} ${head}\r\n`);
  if (kind === 'create user') return () => post('/v2/user', { client_user_id: randomUUID() });
  const orders = userIds.map((userId) => post('/v3/order/testkit', testkitOrder(userId, labTestId)));
  let next = 0;
  return () => orders[next++ % orders.length] as Buffer;
}

const testkitOrder = (user_id: string, lab_test_id: string): object => ({
  user_id,
  lab_test_id,
  shipping_details: {
    receiver_name: 'Grace Palmer',
    first_line: '100 West Test Street',
    second_line: 'Unit 7',
    city: 'Phoenix',
    state: 'AZ',
    zip: '85004',
    country: 'US',
    phone_number: '+16025550123',
  },
});
