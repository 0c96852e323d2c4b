// Follows the pages of docs/operate about laboratories and appointments, with a laboratory that speaks HL7.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHl7, type Hl7 } from '../src/labs/laboratories/hl7/start-hl7.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { phoenix } from './collected-orders.ts';
import { makeUser, orderKit, patientAddress, patientDetails, physician } from './factories.ts';
import { serveCommands } from './command-server.ts';
import { addLabTest, kitAtLaboratory } from './hl7-deployment.ts';
import { resultMessage, sendFrame, startHl7Laboratory, text_, type Hl7Laboratory } from './hl7-laboratory.ts';
import { makeClone, openPage, runIn } from './operate-blocks.ts';
import { endPrograms, makeDatabase } from './program.ts';
import { REPORT_ROWS, reportPdf, type ParsingJob } from './sent-reports.ts';

const PATIENCE_MS = 180_000;

let app: TestApp;
let laboratory: Hl7Laboratory;
let hl7: Hl7;
let folder: string;
let commands: Awaited<ReturnType<typeof serveCommands>>;
const given: Record<string, string> = {};
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  const databaseUrl = await makeDatabase();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' }, { databaseUrl });
  hl7 = await startHl7(app.ctx);
  folder = makeClone();
  commands = await serveCommands(folder);
  Object.assign(given, { DATABASE_URL: databaseUrl, ORG_ID: app.team.org_id, TEAM_ID: app.team.id });
  const guide = readFileSync('docs/guides/connect-a-laboratory.md', 'utf8');
  const [file = '', csv = ''] = ['json', 'csv'].map(
    (language) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(guide)?.[1] ?? '',
  );
  writeLaboratory(
    file
      .replaceAll('10.20.0.0/16', '127.0.0.0/8')
      .replace('10.20.0.5', '127.0.0.1')
      .replace('2575', String(laboratory.port))
      .replace('"walk_in_test"]', '"walk_in_test", "at_home_phlebotomy"]'),
  );
  writeFileSync(join(folder, 'compendium.csv'), csv);
}, 60_000);
afterAll(async () => {
  await commands.close();
  await hl7.stop();
  await app.close();
  await laboratory.close();
  await endPrograms();
});

const writeLaboratory = (text: string): void => writeFileSync(join(folder, 'laboratory.json'), text);
const run = (text: string): Promise<string> => runIn(folder, text, { ...given, ...commands.env });
const firstLineOf = (output: string): Record<string, string> =>
  JSON.parse(output.split('\n')[0] ?? '') as Record<string, string>;
const send = (message: string) => sendFrame(hl7.port as number, message);
const waiting = async (): Promise<string> =>
  firstLineOf(await run('node bin/phial.mjs hl7 list'))['message_id'] as string;

test(
  'an operator connects a laboratory, issues kits, repairs messages, sends refused orders again and reviews reports',
  async () => {
    const page = openPage('laboratories');
    const connect = page.next('Connect a laboratory by HL7');
    expect(await run(connect)).toMatch(/^saguaro-lab is connected/);
    expect(await run(page.next('Update what a laboratory offers'))).not.toBe('');

    given['ACCOUNT_ID'] = (await run(page.next('Open an account at a laboratory'))).trim();
    expect(await run(page.next('Open an account at a laboratory'))).toBe(
      'The account is suspended now.\nThe account is active now.\n',
    );
    const made = await app.api<{ id: string }>('POST', '/v3/lab_tests', {
      name: 'Metabolic health',
      description: 'Sugar.',
      method: 'testkit',
      lab_slug: 'saguaro-lab',
      provider_ids: ['MET'],
    });
    given['LAB_TEST_ID'] = made.body.id;
    expect(await run(page.next("Approve a team's lab test"))).toBe('The lab test is approved.\n');
    await run(page.next('Add a physician to a team'));
    expect((await run(page.next('Issue ids for kits'))).trim().split('\n')).toHaveLength(100);
    given['ORDER_ID'] = (await orderKit(app.team)).id;
    expect(await run(page.next('Enter the tracking numbers of a kit'))).toMatch(/^Updates about these numbers/);

    const order = (): Promise<{ id: string }> => kitAtLaboratory(app, app.team, made.body.id);
    await order();
    await app.runJobs();
    const placer = text_(laboratory.orders.at(-1) as never, 'ORC.2');
    const result = { placer, account: '10234' };
    await send(resultMessage({ ...result, controlId: 'M1', values: [{ code: 'TSH', value: '2' }] }));
    given['MESSAGE_ID'] = await waiting();
    const listed = await run(page.next('Handle messages that wait'));
    expect(firstLineOf(listed)).toMatchObject({ lab: 'saguaro-lab', reason: 'unmapped_code' });
    expect(listed.slice(listed.indexOf('\n'))).toContain('Palmer^Grace');
    const repair = page.next('Handle messages that wait');
    expect(await run(page.next('Handle messages that wait'))).toBe('Applied 0 messages. 1 still wait.\n');
    writeLaboratory(
      readFileSync(join(folder, 'laboratory.json'), 'utf8').replace(
        '"analytes": [',
        '"analytes": [{ "code": "TSH", "slug": "tsh", "name": "TSH", "loinc_code": "3016-3", "unit": "mIU/L" },',
      ),
    );
    // As a process of its own, as for an operator.
    await runIn(folder, connect, given);
    expect(await run(page.next('Handle messages that wait'))).toBe('The message was applied.\n');

    const values = [{ code: 'GLU', value: '90' }];
    await send(resultMessage({ controlId: 'M2', placer: 'P0000000Z', values }));
    given['MESSAGE_ID'] = await waiting();
    writeFileSync(join(folder, 'corrected.hl7'), resultMessage({ ...result, controlId: 'M2', values }));
    expect(await run(repair)).toBe('The message was applied.\n');
    await send(resultMessage({ controlId: 'M3', placer: 'P0000000Z', values }));
    given['MESSAGE_ID'] = await waiting();
    expect(await run(page.next('Handle messages that wait'))).toBe('The message was set aside.\n');

    laboratory.behave('refuses');
    for (const heading of Array<string>(2).fill('Handle orders that a laboratory refused')) {
      await order();
      await app.runJobs();
      given['OUTBOX_ID'] = firstLineOf(await run('node bin/phial.mjs hl7 outgoing'))['outbox_id'] as string;
      laboratory.behave(null);
      expect(await run(page.next(heading))).toMatch(/to the laboratory again\.\n$|^The message needs no more work/);
      await app.runJobs();
      laboratory.behave('refuses');
    }
    laboratory.behave(null);
    expect(await run(page.next('Stop sending to a laboratory'))).toMatch(
      /^Nothing is sent to[^]*\nThe waiting messages to /,
    );

    const { user_id } = await makeUser(app.team);
    const form = new FormData();
    form.append('user_id', user_id);
    form.append('needs_human_review', 'true');
    form.append('file', new Blob([new Uint8Array(await reportPdf({ rows: REPORT_ROWS }))]), 'report.pdf');
    const sent = await fetch(`${app.baseUrl}/lab_report/v1/parser/job`, {
      method: 'POST',
      headers: { 'x-service-api-key': app.team.api_key },
      body: form,
    });
    given['JOB_ID'] = ((await sent.json()) as ParsingJob).id;
    await app.runJobs();
    const reviewed = await run(page.next('Review lab reports'));
    expect(firstLineOf(reviewed)).toMatchObject({ job_id: given['JOB_ID'] });
    expect(reviewed).toMatch(/"patient_last_name": "Palmer"[^]*The report is reviewed, and its team is notified\.\n$/);
    expect(page.left).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'an operator books, moves, completes and cancels appointments by telephone',
  async () => {
    await run(openPage('laboratories').next('Connect a laboratory by HL7'));
    const lab_test_id = await addLabTest(app, app.team, 'at_home_phlebotomy');
    const askForVisit = async (): Promise<string> => {
      const { user_id } = await makeUser(app.team);
      const { body } = await app.api<{ order: { id: string } }>('POST', '/v3/order', {
        user_id,
        order_set: { lab_test_ids: [lab_test_id] },
        patient_details: patientDetails,
        patient_address: patientAddress,
        physician,
      });
      await app.api('POST', `/v3/order/${body.order.id}/phlebotomy/appointment/request`, {
        address: phoenix,
        provider: 'getlabs',
      });
      await app.runJobs();
      return body.order.id;
    };
    const appointmentOf = async (id: string): Promise<unknown> =>
      (await app.api<{ status: string }>('GET', `/v3/order/${id}/phlebotomy/appointment`)).body.status;

    const page = openPage('appointments');
    const scheduler = { provider: 'getlabs', name: 'Saguaro Mobile Draws', telephone: true };
    writeFileSync(join(folder, 'scheduler.json'), JSON.stringify(scheduler));
    expect(await run(page.next('Connect a scheduler'))).toMatch(/^getlabs books/);
    const visited = await askForVisit();
    given['ORDER_ID'] = visited;
    const seen = await run(page.next('See what waits for a call'));
    expect(firstLineOf(seen)).toMatchObject({ what: 'book', order_id: visited });
    expect(seen.slice(seen.indexOf('\n'))).toContain('Palmer');
    await run(page.next('Record what you agreed by telephone'));
    expect(await appointmentOf(visited)).toBe('completed');

    given['ORDER_ID'] = await askForVisit();
    await run(page.next('Record what you agreed by telephone'));
    expect(await appointmentOf(given['ORDER_ID'])).toBe('cancelled');
    expect(await run(page.next('Disconnect a scheduler'))).toBe('getlabs is disconnected.\n');
    expect(page.left).toEqual([]);
  },
  PATIENCE_MS,
);
