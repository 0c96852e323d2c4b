import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHl7 } from '../src/labs/laboratories/hl7/start-hl7.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { serveCommands } from './command-server.ts';
import { resultMessage, sendFrame, startHl7Laboratory, text_, type Hl7Laboratory } from './hl7-laboratory.ts';
import { makeClone, runIn } from './operate-blocks.ts';
import { endPrograms, makeDatabase } from './program.ts';

let app: TestApp;
let databaseUrl: string;
let laboratory: Hl7Laboratory;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  databaseUrl = await makeDatabase();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' }, { databaseUrl });
}, 60_000);
afterAll(async () => {
  await app.close();
  await laboratory.close();
  await endPrograms();
});

test('the file and the commands of the guide connect a laboratory and handle its messages', async () => {
  const guide = readFileSync('docs/guides/connect-a-laboratory.md', 'utf8');
  const [, file = ''] = /```json\n([^]*?)```/.exec(guide) ?? [];
  const [connect, order, issue, outgoing, list, replay] = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(
    ([, lines]) => lines,
  );
  const folder = makeClone();
  const commands = await serveCommands(folder);
  const here = file.replaceAll('10.20.0.0/16', '127.0.0.0/8').replace('10.20.0.5', '127.0.0.1');
  writeFileSync(join(folder, 'laboratory.json'), here.replace('2575', String(laboratory.port)));
  const given = {
    DATABASE_URL: databaseUrl,
    TEAM_ID: app.team.id,
    BASE_URL: app.baseUrl,
    TEAM_API_KEY: app.team.api_key,
    PHIAL_LOG_LEVEL: 'silent',
  };
  const run = async (command: string | undefined, env: Record<string, string> = commands.env): Promise<string> =>
    (await runIn(folder, command ?? '', { ...given, ...env })).trim();
  // As a process of its own, as for an operator.
  expect(await run(connect, {})).toBe('saguaro-lab is connected: 1 markers to order, 2 codes to report by.');
  const lines = await app.db.selectFrom('audit_log').selectAll().where('action', '=', 'lab connect').execute();
  expect(lines).toMatchObject([{ actor: 'operator', org_id: null, team_id: null, records: [] }]);
  const labs = await app.team.api<{ slug: string }[]>('GET', '/v3/lab_tests/labs');
  expect(labs.body.map(({ slug }) => slug)).toContain('saguaro-lab');
  const [approved, orderId = ''] = (await run(order)).split('\n');
  expect(approved).toBe('The lab test is approved.');
  await app.runJobs();
  expect(laboratory.orders.map((sent) => text_(sent, 'OBR.4.1'))).toEqual(['MET']);
  const placer = text_(laboratory.orders[0] as never, 'ORC.2');
  expect((await run(issue)).split('\n')).toEqual(Array(3).fill(expect.stringMatching(/^K[0-9A-Z]{12}$/)));
  expect(await run(outgoing)).toBe('');
  const hl7 = await startHl7(app.ctx);
  const values = [
    { code: 'GLU', value: '91' },
    { code: 'A1C', value: '5.1', unit: '%' },
  ];
  const answer = await sendFrame(
    hl7.port as number,
    resultMessage({ controlId: 'G0', placer, account: '10234', values }),
  );
  expect(answer).toMatchObject({ code: 'AA' });
  const result = await app.team.api<{ metadata: { status: string } }>('GET', `/v3/order/${orderId}/result`);
  expect([result.status, result.body.metadata.status]).toEqual([200, 'final']);
  const message = resultMessage({ controlId: 'G1', placer: 'P0000000Z', values: [{ code: 'GLU', value: '90' }] });
  expect(await sendFrame(hl7.port as number, message)).toMatchObject({ code: 'AE', error: 'unknown_number' });
  await hl7.stop();
  const listed = JSON.parse(await run(list)) as { message_id: string; reason: string };
  expect(listed).toMatchObject({ lab: 'saguaro-lab', control_id: 'G1', reason: 'unknown_number' });
  expect(await run(replay)).toBe('Applied 0 messages. 1 still wait.');
  const phial = (words: string): Promise<string> => run(`node bin/phial.mjs ${words} --message ${listed.message_id}`);
  expect(await phial('hl7 show')).toContain('Palmer^Grace');
  expect(await phial('hl7 discard')).toBe('The message was set aside.');
  expect(await run(list)).toBe('');
  await commands.close();
}, 120_000);
