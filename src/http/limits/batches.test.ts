// Batches of one team beside requests of others, over real sockets.
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { UnreadBatch } from '../input/batch-body.ts';

const PATIENCE_MS = 8_000;

let app: TestApp;
let other: Team;
beforeAll(async () => {
  app = await startTestApp();
  other = await app.makeTeam();
});
afterAll(() => app.close());

const samples = (many: number) =>
  Array.from({ length: many }, (_, n) => ({
    resource: 'heartrate',
    provider: 'manual',
    timestamp: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
    unit: 'bpm',
    value: 60,
  }));
const push = async (team: Team, many: number): Promise<number> => {
  const { user_id } = await makeUser(team);
  return (await team.api('POST', `/v2/timeseries/${user_id}/samples`, samples(many))).status;
};

test('requests that wait for locks do not block batches of any team', async () => {
  const { user_id } = await makeUser(app.team);
  const owner = new pg.Client({ connectionString: app.databaseUrl });
  await owner.connect();
  const asked: Promise<unknown>[] = [];
  try {
    await owner.query('begin');
    await owner.query('lock table orders in access exclusive mode');
    const waiting = Array.from({ length: 30 }, () => app.api('GET', '/v3/orders'));
    asked.push(...waiting);
    await untilBlocked(app.db);
    const own = app.api('POST', `/v2/timeseries/${user_id}/samples`, samples(500));
    const answered = Promise.all([push(other, 500), own.then(({ status }) => status)]);
    asked.push(answered);
    expect(await Promise.race([answered, wait(PATIENCE_MS).then(() => 'still waiting')])).toEqual([200, 200]);
    await owner.query('rollback');
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
  } finally {
    // A failure must release the lock and wait for the blocked requests. Otherwise the service would wait for its
    // clients' connections.
    await owner.end();
    await Promise.allSettled(asked);
  }
});

describe('a batch waits for the scheduler', () => {
  const batchOf = (many: number, isPacked: boolean): UnreadBatch => {
    const bytes = Buffer.from(JSON.stringify(samples(many)));
    return new UnreadBatch(isPacked ? gzipSync(bytes) : bytes, { isPacked, most: 1e7, parse: String });
  };

  test.each([
    [10, false, false],
    [10, true, false],
    [2_000, false, true],
    [2_000, true, true],
  ])('a batch of %d values with gzip %s is bulky: %s', async (many, isPacked, expected) => {
    expect(await batchOf(many, isPacked).isBulky()).toBe(expected);
  });
});

describe('bodies of batches', () => {
  const sockets: Socket[] = [];
  /** Announces a body and sends none of it. Resolves with the status, or null when the service waits for the body. */
  const announce = (team: Team, bytes: number): Promise<number | null> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.baseUrl);
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.once('error', reject);
      socket.once('data', (data: Buffer) => resolve(Number(data.toString().split(' ')[1])));
      setTimeout(() => resolve(null), 500);
      socket.write(
        `POST /v2/timeseries/018f0000-0000-7000-8000-000000000000/samples HTTP/1.1\r\nhost: x\r\n` +
          `x-service-api-key: ${team.api_key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
      );
    });

  test('have a limit of bytes per team, which is free again when the requests end', async () => {
    const MEBIBYTE = 1024 * 1024;
    const begun = await Promise.all(Array.from({ length: 40 }, () => announce(app.team, MEBIBYTE)));
    expect(begun.filter((status) => status === null)).toHaveLength(32);
    expect(begun.filter((status) => status === 503)).toHaveLength(8);
    expect(await push(app.team, 10)).toBe(503);
    expect(await push(other, 500)).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => push(app.team, 500)).toBe(200);
  });
});
