import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { webhookPath } from '../../test/factories.ts';
import { attempted, dueNow, queued } from '../../test/deliveries.ts';
import { glucose, steps } from '../../test/invented-events.ts';
import { publishTo } from '../../test/publish-event.ts';
import { RETRY_DELAYS_SECONDS } from './retry-schedule.ts';

type Request = { at: number; headers: IncomingHttpHeaders; raw: string };
type TestEndpoint = { url: string; requests: Request[]; answer: (response: ServerResponse) => void };

let app: TestApp;
const closers: (() => void)[] = [];
beforeAll(async () => {
  app = await startTestApp({ PHIAL_WEBHOOK_TIMEOUT_SECONDS: '1' });
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
afterAll(() => app.close());

/** A customer's server that stores every request and answers as `answer` says. */
async function startEndpoint(
  answer: TestEndpoint['answer'] = (response) => response.writeHead(204).end(),
): Promise<TestEndpoint> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    here.requests.push({ at: Date.now(), headers: request.headers, raw: Buffer.concat(chunks).toString() });
    here.answer(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const here: TestEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: [],
    answer,
  };
  return here;
}

const status =
  (code: number, headers: Record<string, string> = {}): TestEndpoint['answer'] =>
  (response) =>
    response.writeHead(code, headers).end('the answer');
function endless(code: number): TestEndpoint['answer'] {
  return (response) => {
    response.writeHead(code);
    const pour = (): void => {
      while (response.writable && response.write(Buffer.alloc(65_536, 'x')));
    };
    response.on('drain', pour);
    pour();
  };
}

async function subscribe(team: Team, { url }: { url: string }, body: object = {}): Promise<string> {
  const { body: made } = await team.api<{ id: string }>('POST', webhookPath(team), { url, ...body });
  return made.id;
}

const publish = (team: Team, type = steps, n = 1): Promise<string> => publishTo(app, team, type, { n });

const queueOf = (webhookId: string) => queued(app, webhookId);
const attemptsOf = (webhookId: string) => attempted(app, webhookId);
const makeDue = (webhookId: string) => dueNow(app, webhookId);

/** True if a `v1a` signature (ed25519) of the request is valid for this public key, as Standard Webhooks defines. */
function verifiesV1a(publicKey: string, { headers, raw }: Request): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = Buffer.from(`${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${raw}`);
  return (headers['webhook-signature'] as string)
    .split(' ')
    .filter((one) => one.startsWith('v1a,'))
    .some((one) => verify(null, content, key, Buffer.from(one.slice('v1a,'.length), 'base64')));
}

/** The seconds between the newest attempt and the next one. */
async function waitOf(webhookId: string): Promise<number> {
  const {
    rows: [row],
  } = await sql<{ seconds: number }>`
    select extract(epoch from retries.due_at - attempts.created_at)::float8 as seconds
      from retries join attempts using (webhook_id, event_id) where webhook_id = ${webhookId}
          order by attempts.id desc limit 1`.execute(app.db);
  return row?.seconds ?? NaN;
}

describe('a delivery', () => {
  test('that is accepted leaves the queue and is logged', async () => {
    const team = await app.makeTeam();
    const there = await startEndpoint();
    const webhook = await subscribe(team, there);
    const event = await publish(team);
    await app.deliver();
    expect(await queueOf(webhook)).toEqual([]);
    expect(await attemptsOf(webhook)).toMatchObject([
      {
        event_id: event,
        team_id: team.id,
        attempt: 1,
        outcome: 'succeeded',
        http_status: 204,
        error: null,
        next_attempt_at: null,
        duration_ms: expect.any(Number),
      },
    ]);
    expect(there.requests.map(({ headers, raw }) => [headers['webhook-id'], JSON.parse(raw)])).toEqual([
      [
        event,
        {
          event_type: 'daily.data.steps.created',
          data: { n: 1 },
          team_id: team.id,
          user_id: null,
          client_user_id: null,
        },
      ],
    ]);
  });

  test('that fails is repeated after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, then given up', async () => {
    const team = await app.makeTeam();
    const there = await startEndpoint(status(500));
    const operators = await startEndpoint();
    const webhook = await subscribe(team, there);
    await subscribe(team, operators, { filter_types: ['message.attempt.exhausted'] });
    const event = await publish(team);
    expect(RETRY_DELAYS_SECONDS).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 36_000]);
    for (const [index, delay] of RETRY_DELAYS_SECONDS.entries()) {
      await app.deliver();
      expect(await queueOf(webhook)).toMatchObject([{ event_id: event, attempt: index + 1 }]);
      const wait = await waitOf(webhook);
      expect([delay, wait >= delay && wait <= delay * 1.1]).toEqual([delay, true]);
      await app.deliver();
      expect(there.requests.length).toBe(index + 1);
      await makeDue(webhook);
    }
    await app.deliver();
    expect(await queueOf(webhook)).toEqual([]);
    const attempts = await attemptsOf(webhook);
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => [attempt, attempt === 8 ? 'exhausted' : 'failed']),
    );
    expect(attempts.every((attempt) => attempt.http_status === 500 && attempt.response_body === 'the answer')).toBe(
      true,
    );
    expect(operators.requests.map(({ raw }) => JSON.parse(raw))).toEqual([
      {
        event_type: 'message.attempt.exhausted',
        team_id: team.id,
        user_id: null,
        client_user_id: null,
        data: {
          endpoint_id: webhook,
          message_id: event,
          event_type: 'daily.data.steps.created',
          attempts: 8,
          last_status: 500,
          last_error: null,
        },
      },
    ]);
    expect(there.requests.length).toBe(8);
  });

  test('keeps its id and its bytes over all attempts, and each has its own timestamp and signature', async () => {
    const team = await app.makeTeam();
    const there = await startEndpoint(status(503));
    const webhook = await subscribe(team, there);
    const event = await publish(team);
    const {
      body: { key },
    } = await team.api<{ key: string }>('GET', `${webhookPath(team)}/${webhook}/secret`);
    await app.deliver();
    there.answer = status(200);
    await makeDue(webhook);
    await app.deliver();
    expect(there.requests.map(({ headers }) => headers['webhook-id'])).toEqual([event, event]);
    expect(there.requests[1]?.raw).toBe(there.requests[0]?.raw);
    for (const { headers, raw } of there.requests) {
      expect(new Webhook(key).verify(raw, headers as Record<string, string>)).toEqual(JSON.parse(raw));
      for (const name of ['id', 'timestamp', 'signature'])
        expect(headers[`svix-${name}`]).toBe(headers[`webhook-${name}`]);
    }
    expect((await attemptsOf(webhook)).map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded']);
  });

  test.each([
    ['1', 5, 5.5],
    ['60', 60, 66],
    ['999999', 300, 330],
    ['-5', 5, 5.5],
    ['soon', 5, 5.5],
    [() => new Date(Date.now() + 100_000).toUTCString(), 95, 111],
  ])('after Retry-After: %s waits from %i to %i seconds', async (value, least, most) => {
    const team = await app.makeTeam();
    const there = await startEndpoint(status(429, { 'retry-after': typeof value === 'string' ? value : value() }));
    const webhook = await subscribe(team, there);
    await publish(team);
    await app.deliver();
    const wait = await waitOf(webhook);
    expect([wait >= least, wait <= most]).toEqual([true, true]);
  });

  test('does not follow a redirect and counts as failed', async () => {
    const team = await app.makeTeam();
    const elsewhere = await startEndpoint();
    const there = await startEndpoint(status(307, { location: elsewhere.url }));
    const webhook = await subscribe(team, there);
    await publish(team);
    await app.deliver();
    expect(await attemptsOf(webhook)).toMatchObject([{ outcome: 'failed', http_status: 307, error: 'redirect' }]);
    expect([elsewhere.requests.length, (await queueOf(webhook)).length]).toEqual([0, 1]);
  });

  test('to an endpoint that is down is repeated when it is back', async () => {
    const team = await app.makeTeam();
    const there = await startEndpoint();
    for (const close of closers.splice(0)) close();
    const webhook = await subscribe(team, there);
    const event = await publish(team);
    await app.deliver();
    expect(await attemptsOf(webhook)).toMatchObject([
      { outcome: 'failed', http_status: null, error: 'connection_refused' },
    ]);
    const back = await startEndpoint();
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { url: back.url });
    await makeDue(webhook);
    await app.deliver();
    expect(back.requests.map(({ headers }) => headers['webhook-id'])).toEqual([event]);
  });

  test('that fails is a warning in the log, and one that is accepted is not', async () => {
    const lines: Record<string, unknown>[] = [];
    const logTo = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const logged = await startTestApp({ PHIAL_LOG_LEVEL: 'info' }, { databaseUrl: app.databaseUrl, logTo });
    const there = await startEndpoint();
    const webhook = await subscribe(logged.team, there);
    for (const answer of [status(500), status(204)]) {
      there.answer = answer;
      await publish(logged.team);
      await logged.deliver();
    }
    const attemptLines = lines.filter(({ msg, endpoint_id }) => msg === 'delivery attempt' && endpoint_id === webhook);
    expect(attemptLines.map(({ level, ok }) => [level, ok])).toEqual([
      [40, false],
      [30, true],
    ]);
    await logged.close();
  });

  test('to an endpoint that hangs times out, and delays no other', async () => {
    const team = await app.makeTeam();
    const givenUpAt: number[] = [];
    const hangs: TestEndpoint['answer'] = (response) => response.once('close', () => givenUpAt.push(Date.now()));
    const stuck = await subscribe(team, await startEndpoint(hangs));
    const quick = await startEndpoint();
    await subscribe(team, quick);
    // An endpoint begins with four slots. If it hangs, its queue pauses after these four attempts have timed out.
    for (let n = 0; n < 4; n += 1) await publish(team, steps, n);
    await app.deliver();
    expect(quick.requests.length).toBe(4);
    const attempts = await attemptsOf(stuck);
    expect(attempts.length).toBe(4);
    // All fast deliveries came before the first time-out.
    expect(Math.max(...quick.requests.map(({ at }) => at))).toBeLessThanOrEqual(Math.min(...givenUpAt));
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ outcome: 'failed', http_status: null, error: 'timeout' });
      expect(attempt.duration_ms).toBeLessThan(10_000);
    }
  });

  test.each([
    [200, 'succeeded'],
    [500, 'failed'],
  ])('that is answered %i with endless bytes counts as %s, is cut off and has 16 KiB stored', async (code, outcome) => {
    const team = await app.makeTeam();
    const webhook = await subscribe(team, await startEndpoint(endless(code)));
    await publish(team);
    await app.deliver();
    const [attempt] = await attemptsOf(webhook);
    expect([attempt?.outcome, attempt?.http_status, attempt?.response_body.length]).toEqual([outcome, code, 16_384]);
  });

  test('is signed with both secrets during a rotation', async () => {
    const team = await app.makeTeam();
    const there = await startEndpoint();
    const webhook = await subscribe(team, there);
    const secret = async (): Promise<string> =>
      (await team.api<{ key: string }>('GET', `${webhookPath(team)}/${webhook}/secret`)).body.key;
    const keys = [await secret()];
    await team.api('POST', `${webhookPath(team)}/${webhook}/secret/rotate`, {});
    keys.push(await secret());
    await publish(team);
    await app.deliver();
    const verifies = ({ headers, raw }: Request): boolean[] =>
      keys.map((key) => {
        try {
          return Boolean(new Webhook(key).verify(raw, headers as Record<string, string>));
        } catch {
          return false;
        }
      });
    await sql`update webhook_secrets set expires_at = now() where expires_at is not null`.execute(app.db);
    await publish(team);
    await app.deliver();
    expect(there.requests.map(verifies)).toEqual([
      [true, true],
      [false, true],
    ]);
  });
});

describe('an endpoint', () => {
  test('that asks for v1a gets ed25519 signatures of its key pair and the one before it', async () => {
    const team = await app.makeTeam();
    const [plain, asking] = [await startEndpoint(), await startEndpoint()];
    await subscribe(team, plain);
    const webhook = await subscribe(team, asking);
    const at = `${webhookPath(team)}/${webhook}`;
    const keys: string[] = [];
    const send = async (): Promise<void> => {
      const { public_key } = (await team.api<{ public_key: string }>('GET', `${at}/public_key`)).body;
      keys.push(public_key);
      await publish(team);
      await app.deliver();
    };
    await team.api('PATCH', at, { v1a_enabled: true });
    await send();
    await team.api('POST', `${at}/public_key/rotate`, {});
    await send();
    await team.api('PATCH', at, { v1a_enabled: false });
    await send();
    expect(asking.requests.map((request) => keys.slice(0, 2).map((key) => verifiesV1a(key, request)))).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ]);
    for (const { headers } of plain.requests) expect(headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
    for (const { headers } of asking.requests)
      expect(headers['webhook-signature']).toMatch(/^v1,\S{44}( v1a,\S{88})*$/);
  });

  test('gets the types it names, or all except the operational ones', async () => {
    const team = await app.makeTeam();
    const [all, one, both] = [await startEndpoint(), await startEndpoint(), await startEndpoint()];
    await subscribe(team, all);
    await subscribe(team, one, { filter_types: ['daily.data.glucose.created'] });
    await subscribe(team, both, { filter_types: ['daily.data.glucose.created', 'daily.data.steps.created'] });
    await publish(team, steps);
    await publish(team, glucose);
    await app.deliver();
    const types = ({ requests }: TestEndpoint): string[] =>
      requests.map(({ raw }) => (JSON.parse(raw) as { event_type: string }).event_type).toSorted();
    expect([types(all), types(one), types(both)]).toEqual([
      ['daily.data.glucose.created', 'daily.data.steps.created'],
      ['daily.data.glucose.created'],
      ['daily.data.glucose.created', 'daily.data.steps.created'],
    ]);
  });

  test('gets the types that match the prefixes of its filters', async () => {
    const team = await app.makeTeam();
    const [data, stepsOnly, labs] = [await startEndpoint(), await startEndpoint(), await startEndpoint()];
    await subscribe(team, data, { filter_types: ['daily.data.*'] });
    await subscribe(team, stepsOnly, { filter_types: ['daily.data.steps.*', 'labtest.order.created'] });
    await subscribe(team, labs, { filter_types: ['labtest.*'] });
    await publish(team, steps);
    await publish(team, glucose);
    await app.deliver();
    expect([data.requests.length, stepsOnly.requests.length, labs.requests.length]).toEqual([2, 1, 0]);
  });

  test('gets only events from after it was made, and none of another team', async () => {
    const team = await app.makeTeam();
    await publish(team);
    const there = await startEndpoint();
    await subscribe(team, there);
    await publish(await app.makeTeam());
    await app.deliver();
    expect(there.requests).toEqual([]);
  });
});
