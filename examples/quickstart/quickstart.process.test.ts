import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Team } from '../../test/test-app.ts';
import { webhookPath } from '../../test/factories.ts';
import { drawTerminal, firstRunOf, unchangingOf } from '../../test/first-run.ts';
import { query } from '../../test/global-setup.ts';
import { endPrograms, makeDatabase, readCredentials, serve, teamAt, type Program } from '../../test/program.ts';
import { serveHere, type Served } from '../../test/serve-here.ts';
import { openContract, type Contract } from './contract.ts';
import { quickstart } from './quickstart.ts';
import { readOpenApi } from './service.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** The webhooks in the timeline of a story without surprises. */
const ARRIVALS = [
  'labtest.order.created  received.testkit.ordered',
  'labtest.order.updated  received.testkit.awaiting_registration',
  'labtest.order.updated  collecting_sample.testkit.transit_customer',
  'labtest.order.updated  collecting_sample.testkit.out_for_delivery',
  'labtest.order.updated  collecting_sample.testkit.with_customer',
  'labtest.order.updated  received.testkit.requisition_created',
  'labtest.order.updated  received.testkit.testkit_registered',
  'labtest.order.updated  collecting_sample.testkit.transit_lab',
  'labtest.order.updated  sample_with_lab.testkit.delivered_to_lab',
  'labtest.order.updated  completed.testkit.completed',
  'labtest.order.created  received.walk_in_test.ordered',
  'labtest.order.updated  received.walk_in_test.requisition_created',
  'labtest.order.updated  collecting_sample.walk_in_test.appointment_pending',
  'labtest.order.updated  collecting_sample.walk_in_test.appointment_scheduled',
  'labtest.order.updated  completed.walk_in_test.completed',
];

const arrivalsIn = (printed: string): string[] =>
  [...printed.matchAll(/<- (\S+ {2}\S+) {2}\(verified\)/g)].map((match) => match[1] as string);

describe('against the program', () => {
  afterEach(endPrograms);

  const run = (
    { dataDir, port }: Program,
    env: Record<string, string>,
  ): Promise<{ code: number | null; printed: string }> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [join(PROJECT, 'bin/quickstart.mjs')],
        { cwd: PROJECT, env: { ...process.env, PHIAL_DATA_DIR: dataDir, PORT: String(port), ...env } },
        (_error, stdout, stderr) => resolve({ code: child.exitCode, printed: stdout + stderr }),
      );
    });

  test('the story plays repeatedly, as in the picture of README, and leaves no webhook endpoint behind', async () => {
    const env = { DATABASE_URL: await makeDatabase() };
    const program = await serve({ env });
    for (const round of [1, 2]) {
      const { code, printed } = await run(program, env);
      expect([code, arrivalsIn(printed).sort()], printed).toEqual([0, ARRIVALS.toSorted()]);
      const picture = drawTerminal(firstRunOf(program.stdout(), printed));
      if (process.env['UPDATE'] && round === 1) writeFileSync('docs/first-run.svg', picture);
      expect(unchangingOf(readFileSync('docs/first-run.svg', 'utf8')), 'run npm run picture:first-run').toEqual(
        unchangingOf(picture),
      );
    }
    const team = teamAt(program);
    expect((await team.api<{ data: unknown[] }>('GET', webhookPath(team))).body.data).toEqual([]);
  }, 120_000);
});

type Body = Record<string, unknown>;
/** Returns a replacement for a response of the service. Null keeps the real response. */
type Tamper = (operation: string, body: Body, status: number) => unknown;

describe('a different answer is a surprise', () => {
  let service: Served;
  let team: Team;
  let databaseUrl: string;
  /** Compiling its schemas takes longer than playing a story. */
  let contract: Contract;
  let proxy: Server;
  let tamper: Tamper | null;
  const folder = mkdtempSync(join(tmpdir(), 'phial-quickstart-'));

  beforeAll(async () => {
    databaseUrl = await makeDatabase();
    service = await serveHere({ env: { DATABASE_URL: databaseUrl } });
    team = teamAt(service);
    contract = openContract(await readOpenApi(service.baseUrl));
    proxy = createServer((request, response) => void forward(request, response));
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve);
    });
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({
        ...readCredentials(service.dataDir),
        base_url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      }),
    );
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await service.stop();
    await endPrograms();
    rmSync(folder, { recursive: true });
  });

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {
      'content-length': _length,
      connection: _connection,
      host: _host,
      ...headers
    } = request.headers as Record<string, string>;
    const sent = await text(request);
    const answer = await fetch(service.baseUrl + request.url, {
      method: request.method ?? '',
      headers,
      ...(sent === '' ? {} : { body: sent }),
    });
    const received = await answer.text();
    const body = received === '' ? null : (JSON.parse(received) as Body);
    const changed = (body && (await tamper?.(`${request.method} ${request.url}`, body, answer.status))) ?? body;
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(changed === null ? undefined : JSON.stringify(changed));
  }

  async function play(how: Tamper | null, webhookPatienceMs = 20_000): Promise<{ code: number; printed: string }> {
    tamper = how;
    const lines: string[] = [];
    const code = await quickstart({
      env: { DATABASE_URL: 'postgres://unused', PHIAL_DATA_DIR: folder },
      print: (line) => lines.push(line),
      contract,
      webhookPatienceMs,
    });
    return { code, printed: lines.join('\n') };
  }

  test('without a change it plays to its end', async () => {
    const { code, printed } = await play(null);
    expect([code, arrivalsIn(printed).sort()], printed).toEqual([0, ARRIVALS.toSorted()]);
    expect(printed).toMatch(/Everything was as it should be\.$/);
  });

  const isOrder = (operation: string): boolean => /^GET .*\/order\/[^/]+$/.test(operation);
  const TAMPERINGS: [what: string, how: Tamper, surprise: RegExp][] = [
    [
      'the samples come from another provider',
      (operation, body) => (operation.includes('/glucose/grouped') ? { ...body, groups: { oura: [] } } : null),
      /Surprise: Providers of glucose: expected/,
    ],
    [
      'no order is critical',
      (operation, body) => (operation.includes('interpretation=critical') ? { ...body, orders: [] } : null),
      /Surprise: Critical orders: expected/,
    ],
    [
      'a field of the order is missing',
      (operation, body) => (isOrder(operation) ? { ...body, has_abn: undefined } : null),
      /GET \/v3\/order\/\{order_id\} does not match \/openapi\.json: .*has_abn/,
    ],
    [
      'the signing secret is another',
      (operation, body) => (operation.endsWith('/secret') ? { ...body, key: `whsec_${'A'.repeat(32)}` } : null),
      /A webhook arrived that does not verify/,
    ],
    [
      'the refusal names another user',
      (_, body, status) => (status === 400 ? { ...body, detail: { user_id: 'x', created_on: 'y' } } : null),
      /The existing user in the refusal/,
    ],
    [
      'a refusal has another code',
      (operation, body) => (operation.endsWith('/cancel') ? { ...body, code: 'surprise' } : null),
      /expected "order_not_cancellable", but it is "surprise"/,
    ],
    [
      'the company is not the payor',
      (operation, body) =>
        operation.endsWith('/insurance') ? { ...body, company: { ...(body['company'] as object), name: 'X' } } : null,
      /Surprise: insurance: expected/,
    ],
    [
      'an event is missing in the order',
      (operation, body) => (isOrder(operation) ? { ...body, events: (body['events'] as unknown[]).slice(1) } : null),
      /The order's events: expected/,
    ],
    [
      'the user is changed by the undo',
      (operation, body) =>
        /^GET \/v2\/user\/[^/]+$/.test(operation) && !('code' in body)
          ? { ...body, created_on: '2020-01-01T00:00:00.000Z' }
          : null,
      /Surprise: The user: expected/,
    ],
  ];
  test.each(TAMPERINGS)('%s', async (_, how, surprise) => {
    const { code, printed } = await play(how);
    expect(code).toBe(1);
    expect(printed).toMatch(surprise);
    expect((await team.api<{ data: unknown[] }>('GET', webhookPath(team))).body.data).toEqual([]);
  });

  test('missing webhooks are a surprise', async () => {
    const { code, printed } = await play(async (operation, body) => {
      if (operation.startsWith('POST') && operation.endsWith('/webhook'))
        await query(databaseUrl, 'update webhooks set disabled = true');
      return body;
    }, 200);
    expect([code, printed.split('\n').at(-1)]).toEqual([1, 'Surprise: 0 of 2 webhooks came within 0.2 s.']);
  });

  test('a service that does not answer, or never started, is reported with the way to start it', async () => {
    const lines: string[] = [];
    const print = (line: string): void => {
      lines.push(line);
    };
    expect(
      await quickstart({ env: { PHIAL_DATA_DIR: folder, DATABASE_URL: 'postgres://unused', PORT: '1' }, print }),
    ).toBe(1);
    expect(lines.join('\n')).toMatch(/Nothing answers at http:\/\/localhost:1.*npm start/s);
    lines.length = 0;
    expect(
      await quickstart({ env: { PHIAL_DATA_DIR: join(folder, 'nowhere'), DATABASE_URL: 'postgres://unused' }, print }),
    ).toBe(1);
    expect(lines.join('\n')).toMatch(/no credentials\.json in .*nowhere.*npm start/s);
  });
});
