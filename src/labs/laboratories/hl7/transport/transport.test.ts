import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/test-app.ts';
import { addLabTest, connectTestLaboratory, kitAtLaboratory } from '../../../../../test/hl7-deployment.ts';
import { resultMessage, sendFrame } from '../../../../../test/hl7-laboratory.ts';
import { CERTIFICATE, KEY } from '../../../../../test/certificate.ts';
import { listOutgoing } from '../outbox/list-outgoing.ts';
import { resendOrder } from '../outbox/outbox-actions.ts';
import { repairMessage, replayAll } from '../repair/repair-message.ts';
import { listMessages } from '../repair/list.ts';
import { startHl7 } from '../start-hl7.ts';
import { openInbox } from '../open-inbox.ts';
import { pollFolders } from './watch-folder.ts';

let folder: string;
let app: TestApp;
const logged: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hl7-'));
  for (const [name, text] of [
    ['certificate.pem', CERTIFICATE],
    ['key.pem', KEY],
  ] as const)
    writeFileSync(join(folder, name), text);
  app = await startTestApp(
    {
      PHIAL_HL7_PORT: '0',
      PHIAL_HL7_TLS_CERTIFICATE_FILE: join(folder, 'certificate.pem'),
      PHIAL_HL7_TLS_KEY_FILE: join(folder, 'key.pem'),
      PHIAL_LOG_LEVEL: 'info',
    },
    { logTo: (line) => logged.push(line) },
  );
  await connect({});
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const inbox = (...name: string[]): string => join(folder, 'in', ...name);
const connect = async (more: Record<string, unknown>): Promise<void> => {
  for (const name of ['in', 'out']) rmSync(join(folder, name), { recursive: true, force: true });
  const { mkdirSync } = await import('node:fs');
  for (const name of ['in', 'out']) mkdirSync(join(folder, name));
  await connectTestLaboratory(app.databaseUrl, {
    orders: { message: 'ORM^O01', folder: join(folder, 'out') },
    results: { networks: ['127.0.0.1/32'], folder: join(folder, 'in') },
    charset: 'ASCII',
    ...more,
  });
};
const ordered = async (changes = {}): Promise<{ id: string; placer: string; file: string }> => {
  const { id } = await kitAtLaboratory(app, app.team, await addLabTest(app, app.team), changes);
  const before = new Set(readdirSync(join(folder, 'out')));
  await app.runJobs();
  const name = readdirSync(join(folder, 'out')).find((each) => !before.has(each)) ?? '';
  const file = name === '' ? '' : readFileSync(join(folder, 'out', name), 'latin1');
  return { id, file, placer: /^OBR\|1\|([^|]+)/m.exec(file.replaceAll('\r', '\n'))?.[1] ?? '' };
};

describe('a folder', () => {
  test('gets complete order files, as ORM^O01 in ASCII by the settings, with escaped delimiters', async () => {
    const { file } = await ordered({ physician: { first_name: 'Zoë', last_name: 'O|Brien^\\', npi: '1234567893' } });
    expect(file).toContain('ORM^O01^ORM_O01');
    expect(file).toContain('1234567893^O\\F\\Brien\\S\\\\E\\^Zoe');
    expect(file).toMatch(/^[ -~\r]+$/);
    expect(file).toMatch(/NTE\|1\|P\|SAMPLE KIT/);
    expect(readdirSync(join(folder, 'out')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('is polled for files of several results, and unfinished files wait', async () => {
    const [one, two] = [await ordered(), await ordered()];
    const text = [one, two]
      .map(
        ({ placer }, at) =>
          `${resultMessage({ controlId: `F${at}`, placer, values: [{ code: 'GLU', value: '90' }] })}\r`,
      )
      .join('');
    writeFileSync(inbox('results.oru'), text);
    writeFileSync(inbox('upload.part'), text);
    await pollFolders(app.ctx, openInbox(app.ctx), 60_000);
    expect(readdirSync(inbox('done'))).toEqual([]);
    await pollFolders(app.ctx, openInbox(app.ctx), 0);
    expect(readdirSync(inbox('done'))).toEqual(['results.oru']);
    expect(readFileSync(inbox('ack', 'results.oru.ack'), 'latin1').match(/MSA\|AA\|F\d/g)).toEqual([
      'MSA|AA|F0',
      'MSA|AA|F1',
    ]);
    expect(readdirSync(inbox()).toSorted()).toEqual(['ack', 'done', 'failed', 'upload.part']);
    for (const { id } of [one, two]) expect((await app.team.api('GET', `/v3/order/${id}/result`)).status).toBe(200);
  });

  test('with unreadable files logs only codes, and moves the files to failed', async () => {
    logged.length = 0;
    writeFileSync(inbox('Palmer-Grace.pdf'), '%PDF-1.7 Palmer');
    writeFileSync(inbox('empty.hl7'), '');
    writeFileSync(inbox('cut.hl7'), 'MSH|^~\\&|LAB|LABFAC|||2026||ORU^R01|CUT|P|2.5.1\rPID|1||7^^^A||Pal');
    await pollFolders(app.ctx, openInbox(app.ctx), 0);
    expect(readdirSync(inbox('failed')).toSorted()).toEqual(['Palmer-Grace.pdf', 'cut.hl7', 'empty.hl7']);
    expect(logged.join('')).not.toContain('Pal');
    expect(logged.filter((line) => line.includes('no_message')).length).toBe(2);
  });

  test('drops files that were applied more than a week ago', async () => {
    writeFileSync(inbox('done', 'old.oru'), 'x');
    utimesSync(inbox('done', 'old.oru'), 1, 1);
    await pollFolders(app.ctx, openInbox(app.ctx), 0);
    expect(readdirSync(inbox('done'))).not.toContain('old.oru');
  });

  test('drops files that failed more than 90 days ago, and logs their number but no name', async () => {
    const put = (name: string, days: number): void => {
      writeFileSync(inbox('failed', name), 'x');
      utimesSync(inbox('failed', name), 1, Date.now() / 1_000 - days * 86_400);
    };
    for (const name of ['Palmer-Grace.pdf', '.hidden', 'half.part']) put(name, 90.01);
    put('younger.oru', 89.99);
    logged.length = 0;
    await pollFolders(app.ctx, openInbox(app.ctx), 0);
    const left = readdirSync(inbox('failed'));
    expect(left).toContain('younger.oru');
    for (const name of ['Palmer-Grace.pdf', '.hidden', 'half.part']) expect(left).not.toContain(name);
    const lines = logged.map((line) => JSON.parse(line) as object).filter((line) => 'files' in line);
    expect(lines).toMatchObject([{ lab: 'saguaro-lab', files: 3, reason: 'failed_too_long' }]);
    expect(logged.join('')).not.toContain('Palmer');
  });

  test('drops many old files in several rounds', async () => {
    for (let at = 0; at < 1_100; at += 1) {
      writeFileSync(inbox('failed', `old-${at}`), '');
      utimesSync(inbox('failed', `old-${at}`), 1, 1);
    }
    const counts: number[] = [];
    const left = (): number => readdirSync(inbox('failed')).filter((name) => name.startsWith('old-')).length;
    for (let round = 0; round < 4; round += 1) {
      await pollFolders(app.ctx, openInbox(app.ctx), 0);
      counts.push(left());
    }
    expect(counts).toEqual([600, 100, 0, 0]);
  });

  test('counts the age of a failed file from its failure, not from its own times', async () => {
    writeFileSync(inbox('aged.hl7'), 'rubbish');
    utimesSync(inbox('aged.hl7'), 1, 1);
    for (let round = 0; round < 2; round += 1) await pollFolders(app.ctx, openInbox(app.ctx), 0);
    expect(readdirSync(inbox('failed'))).toContain('aged.hl7');
  });
});

test('with a certificate the port accepts only TLS', async () => {
  const hl7 = await startHl7(app.ctx);
  const response = await new Promise<string>((resolve, reject) => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: hl7.port as number,
      ca: CERTIFICATE,
      servername: 'receiver.example.com',
    });
    socket.on('error', reject);
    socket.on('data', (bytes) => resolve(bytes.toString()));
    socket.write('\x0BMSH|^~\\&|LAB|LABFAC|||2026||ORU^R01|S1|P|2.5.1\r\x1C\r');
  });
  expect(response).toContain('MSA|AE|S1');
  await expect(sendFrame(hl7.port as number, 'MSH|^~\\&|LAB').then((sent) => sent === null)).resolves.toBe(true);
  await hl7.stop();
});

test('a connection from another network is closed', async () => {
  await connect({ results: { networks: ['10.9.0.0/16'], folder: join(folder, 'in') } });
  const hl7 = await startHl7(app.ctx);
  const closed = await new Promise<boolean>((resolve) => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: hl7.port as number,
      ca: CERTIFICATE,
      servername: 'receiver.example.com',
    });
    socket.on('error', () => resolve(true));
    socket.on('close', () => resolve(true));
    socket.write('\x0BMSH|^~\\&|LAB|LABFAC|||2026||ORU^R01|S2|P|2.5.1\r\x1C\r');
  });
  expect(closed).toBe(true);
  await hl7.stop();
  await connect({});
});

describe('the repair queue', () => {
  test('keeps a message with an unmapped code after a replay, and applies it after the repair', async () => {
    const { id, placer } = await ordered();
    const text = resultMessage({ controlId: 'W1', placer, values: [{ code: 'NEW', value: '90' }] });
    writeFileSync(inbox('w1.oru'), text);
    await pollFolders(app.ctx, openInbox(app.ctx), 0);
    const [waiting] = await listMessages(app.ctx, { state: 'failed', lab: 'saguaro-lab' }).then((all) =>
      all.filter(({ control_id }) => control_id === 'W1'),
    );
    expect(waiting).toMatchObject({ reason: 'unmapped_code', order_id: id });
    expect(await replayAll(app.ctx, 'saguaro-lab')).toMatchObject({ applied: 0 });
    const repaired = Buffer.from(text.replace('NEW^NEW', 'GLU^NEW'));
    expect(await repairMessage(app.ctx, waiting?.message_id as string, repaired)).toMatchObject({ state: 'applied' });
    expect((await app.team.api('GET', `/v3/order/${id}/result`)).status).toBe(200);
    const original = app.db.selectFrom('hl7_messages').select(['state', 'raw']);
    expect(await original.where('id', '=', waiting?.message_id as string).execute()).toEqual([
      { state: 'discarded', raw: null },
    ]);
  });

  test('lets the operator resend an order that could not be sent', async () => {
    await connect({ lengths: { last_name: 50, sample_id: 3 } });
    const { id } = await ordered();
    const refused = (await listOutgoing(app.ctx, { state: 'refused', lab: null })).find((each) => each.order_id === id);
    expect(refused).toMatchObject({ reason: 'sample_id_too_long' });
    await connect({});
    await resendOrder(app.ctx, refused?.outbox_id as string);
    await app.runJobs();
    expect(readdirSync(join(folder, 'out')).length).toBe(1);
  });
});
