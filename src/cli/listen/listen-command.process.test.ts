import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, orderKit } from '../../../test/factories.ts';
import { endPrograms, runCommand, startProgram, type Program } from '../../../test/program.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { newSecret } from '../../delivery/sending/sign.ts';

let app: TestApp;
let endpoint: Endpoint;
const secret = newSecret();
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint();
  endpoint.trust(secret);
});
afterAll(async () => {
  await endPrograms();
  await endpoint.close();
  await app.close();
});

const listen = (...flags: string[]): Promise<Program> =>
  startProgram({
    args: ['listen', '--forward-to', endpoint.url, '--url', app.baseUrl, ...flags],
    env: { PHIAL_API_KEY: app.team.api_key },
  });
const untilPrinted = async (program: Program, text: RegExp): Promise<void> => {
  await expect.poll(() => program.output(), { timeout: 20_000, interval: 50 }).toMatch(text);
};
const untilWaiting = async (): Promise<void> => {
  await expect.poll(() => app.ctx.polls?.count, { timeout: 20_000, interval: 20 }).toBe(1);
};

test('phial listen forwards new events, signed, prints a line for each, and ends with its cursor', async () => {
  await orderKit(app.team);
  const program = await listen('--secret', secret, '--events', 'labtest.order.*');
  await untilWaiting();
  const { user_id } = await makeUser(app.team);
  const order = await orderKit(app.team, user_id);
  await untilPrinted(program, /labtest\.order\.updated/);
  endpoint.answer((response) => response.writeHead(500).end());
  await untilWaiting();
  await orderKit(app.team, user_id);
  await untilPrinted(program, / 500 in \d+ ms\n[^]* 500 in \d+ ms\n/);
  endpoint.answer(null);
  program.interrupt();
  expect(await program.ended).toEqual({ code: 0, signal: null });

  const events = endpoint.received.map(({ body }) => [body.event_type, body.data['id']]);
  expect(events).toEqual([
    ['labtest.order.created', order.id],
    ['labtest.order.updated', order.id],
  ]);
  const lines = program.stdout().split('\n');
  expect(lines[0]).toBe(
    `Forwarding events of ${new URL(app.baseUrl).host} to ${new URL(endpoint.url).host}/hook. Ctrl-C ends it.`,
  );
  expect(lines.slice(1, 3)).toEqual(
    endpoint.received.map(({ id, body }) => expect.stringMatching(`^20\\S+Z ${body.event_type} ${id} 204 in \\d+ ms$`)),
  );
  for (const hidden of [user_id, order.id, app.team.api_key, secret]) expect(program.output()).not.toContain(hidden);

  // The command forwards each event once, even if the response is 500. The next run continues after it.
  const cursor = /--after (\S+)/.exec(program.stdout())?.[1] as string;
  const next = await orderKit(app.team);
  const again = await listen('--secret', secret, '--after', cursor);
  await untilPrinted(again, /labtest\.order\.updated/);
  again.interrupt();
  await again.ended;
  expect(endpoint.received.slice(2).map(({ body }) => body.data['id'])).toEqual([next.id, next.id]);
}, 90_000);

test('phial listen makes a secret where none is given, and continues when the service is back', async () => {
  let isAway = true;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const page = await fetch(app.baseUrl + request.url, { headers: { 'x-service-api-key': app.team.api_key } });
    response.writeHead(page.status).end(await page.text());
  };
  const service = createServer((request, response) => {
    if (isAway) request.socket.destroy();
    else void answer(request, response);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const program = await startProgram({
    args: ['listen', '--forward-to', endpoint.url, '--api-key', app.team.api_key, '--after', 'beginning'].concat(
      '--base-url',
      `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    ),
  });
  await untilPrinted(program, /does not answer: connection lost\. Trying again\./);
  isAway = false;
  await untilPrinted(program, /The service answers again\.[^]*labtest\.order\.created \S+ 401/);
  expect(program.output()).toMatch(/Signed with whsec_\S+, made for this session/);
  program.interrupt();
  expect((await program.ended).code).toBe(0);
  service.closeAllConnections();
  service.close();
}, 60_000);

test('phial listen prints why an event did not arrive', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await orderKit(app.team);
  const program = await startProgram({
    args: ['listen', '--forward-to', `http://127.0.0.1:${port}/`, '--base-url', app.baseUrl, '--after', 'beginning'],
    env: { PHIAL_API_KEY: app.team.api_key },
  });
  await untilPrinted(program, /labtest\.order\.created \S+ not reached: connection refused in \d+ ms\n/);
  program.interrupt();
  expect((await program.ended).code).toBe(0);
}, 60_000);

test('phial listen asks the service of its environment', async () => {
  const { port } = new URL(app.baseUrl);
  const run = (env: Record<string, string>) =>
    runCommand(['listen', '--forward-to', endpoint.url, '--key', 'sk_us_nobodys'], { env });
  const [byPort, byAddress, wrong] = await Promise.all([
    run({ PORT: port }),
    run({ PORT: '1', PHIAL_BASE_URL: app.baseUrl }),
    run({ PHIAL_BASE_URL: 'phial.example.com' }),
  ]);
  expect(byPort.output).toContain(`localhost:${port} answered 401`);
  expect(byAddress.output).toContain(`127.0.0.1:${port} answered 401`);
  expect([wrong.code, wrong.output]).toEqual([
    2,
    expect.stringMatching(/takes an http or https address as PHIAL_BASE_URL/),
  ]);
}, 60_000);

test('phial listen ends at once for wrong words and for keys that open nothing', async () => {
  const env = { PHIAL_API_KEY: '' };
  const run = (...flags: string[]) => runCommand(['listen', '--url', app.baseUrl, ...flags], { env });
  const events = ['--forward-to', endpoint.url, '--api-key', app.team.api_key];
  const [noKey, noUrl, noSecret, wrong, noCursor, noType] = await Promise.all([
    run('--forward-to', endpoint.url),
    run('--forward-to', 'localhost:4000', '--key', 'x'),
    run('--forward-to', endpoint.url, '--key', 'x', '--secret', 'y'),
    run('--forward-to', endpoint.url, '--key', 'sk_us_nobodys'),
    run(...events, '--after', 'yesterday'),
    run(...events, '--events', 'labtest.order.*,labtest.ordr.*'),
  ]);
  expect([noKey, noUrl, noSecret, wrong, noCursor, noType].map(({ code }) => code)).toEqual([2, 2, 2, 1, 2, 2]);
  expect(noKey.output).toMatch(/needs a team API key/);
  expect(noUrl.output).toMatch(/takes an http or https address as --forward-to/);
  expect(noSecret.output).toMatch(/takes whsec_/);
  expect(wrong.output).toMatch(/answered 401: Send a valid team API key/);
  expect(noCursor.output).toMatch(/takes as --after the cursor of an earlier run, or `beginning`.*not "yesterday"/);
  expect(noType.output).toMatch(/there is no "labtest\.ordr\.\*"\. Did you mean labtest\.order\.\*\?/);
}, 60_000);
