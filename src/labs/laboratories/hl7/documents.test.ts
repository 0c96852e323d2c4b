// A laboratory's message may contain a PDF of the report. When customers get this PDF, and when they do not.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { readOrder } from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
  type ResultToSend,
} from '../../../../test/hl7-laboratory.ts';
import { fetchPdf, textOf, type Printed } from '../../../../test/pdf.ts';
import { eraseUsers } from '../../../../test/erase-due-users.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let labTestId: string;
let order: { id: string; user_id: string; placer: string };
const logged: string[] = [];
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0', PHIAL_LOG_LEVEL: 'info' }, { logTo: (line) => logged.push(line) });
  await connect();
  labTestId = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
beforeEach(async () => {
  const { id, user_id } = await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  order = { id, user_id, placer: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

const connect = (results: object = {}): Promise<void> =>
  connectTestLaboratory(app.databaseUrl, {
    orders: byMllp(laboratory.port),
    results: { networks: ['127.0.0.1/32'], ...results },
  });

/** Returns bytes that begin and end like a PDF, because Phial checks no more. Between them are `bytes` random bytes. */
const pdfOf = (name: string, bytes = 40): Buffer =>
  Buffer.concat([Buffer.from(`%PDF-1.7\n%${name}\n`), randomBytes(bytes), Buffer.from('\nstartxref\n9\n%%EOF\n')]);

/** Returns an OBX segment (a value of a result) that contains a document. */
const obx = (data: string, { of = 'application^pdf', encoding = 'Base64', status = 'F', type = 'ED' } = {}): string =>
  `\rOBX|9|${type}|PDF^Report^L||^${of}^${encoding}^${data}||||||${status}`;
const base64 = (pdf: Buffer): string => obx(pdf.toString('base64'));

let sent = 0;
/** Sends a result with a glucose value, unless `value` is null, and with further segments. */
async function send(
  value: string | null,
  more: string,
  result: Partial<ResultToSend> = {},
): Promise<{ code?: string | undefined; error?: string | undefined; reason: string | null; state: string }> {
  const controlId = `DOC${(sent += 1)}`;
  const values = value === null ? [] : [{ code: 'GLU', value, ...(result.status === 'C' ? { status: 'C' } : {}) }];
  const text = resultMessage({ placer: order.placer, values, ...result, controlId }) + more;
  const ack = await sendFrame(hl7.port as number, text);
  const { reason, state } = await app.db
    .selectFrom('hl7_messages')
    .select(['reason', 'state'])
    .where('control_id', '=', controlId)
    .executeTakeFirstOrThrow(
      () => new Error(`${controlId} was not stored: ${JSON.stringify(ack)} ${logged.slice(-5).join('')}`),
    );
  return { code: ack?.code, error: ack?.error, reason, state };
}

const print = (path = `/v3/order/${order.id}/result/pdf`): Promise<Printed> => fetchPdf(app, path);
const values = async (): Promise<string[]> => {
  const { body } = await app.team.api<{ results: { result: string }[] }>('GET', `/v3/order/${order.id}/result`);
  return body.results.map(({ result }) => result);
};
const countChunks = async (userId: string): Promise<number> =>
  (await sql`select from lab_result_documents where user_id = ${userId}`.execute(app.db)).rows.length;

async function expectOwn(pdf: Buffer, printed?: Printed): Promise<void> {
  const { status, headers, bytes } = printed ?? (await print());
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'application/pdf',
    'attachment; filename="laboratory-report.pdf"',
  ]);
  expect(Buffer.from(bytes).equals(pdf)).toBe(true);
}

async function expectOurs(...items: string[]): Promise<void> {
  const printed = await print();
  expect([printed.status, printed.headers.get('content-disposition')]).toEqual([200, 'inline; filename="results.pdf"']);
  const text = (await textOf(printed)).join(' ');
  for (const item of items) expect(text).toContain(item);
}

describe("the laboratory's own document", () => {
  test('is served unchanged for the order and its transaction, until a correction comes without one', async () => {
    const first = pdfOf('first', 600_000);
    expect(await send('90', base64(first))).toEqual({ code: 'AA', error: '', reason: null, state: 'applied' });
    expect(await countChunks(order.user_id)).toBe(3);
    await expectOwn(first);
    const { order_transaction } = await readOrder(app.team, order.id);
    await expectOwn(first, await print(`/v3/order_transaction/${order_transaction.id}/result/pdf`));
    expect(await values()).toEqual(['90']);

    await send('94', '', { at: '20260123090000', status: 'C' });
    await expectOurs('CORRECTED REPORT', 'reported before as 90');
    const corrected = pdfOf('corrected');
    await send('95', base64(corrected), { at: '20260124090000', status: 'C' });
    await expectOwn(corrected);
  });

  test('that comes after the values is served, and replaces an earlier one', async () => {
    await send('90', '');
    await expectOurs('90');
    const [one, two] = [pdfOf('one'), pdfOf('two', 300_000)];
    expect(await send(null, base64(one), { at: '20260125' })).toMatchObject({ code: 'AA', reason: null });
    await expectOwn(one);
    await send(null, base64(two), { at: '20260126' });
    await expectOwn(two);
    expect(await send(null, base64(one), { at: '20260125' })).toMatchObject({ reason: 'document_left_out' });
    await expectOwn(two);
    expect(await values()).toEqual(['90']);
  });

  test('of an older message is not served for a report that was corrected since', async () => {
    await send('90', '');
    await send('94', '', { at: '20260124', status: 'C' });
    expect(await send('90', base64(pdfOf('late')), { at: '20260123' })).toMatchObject({
      code: 'AA',
      reason: 'document_left_out',
    });
    await expectOurs('94');
    expect(await countChunks(order.user_id)).toBe(0);
  });

  test('that the laboratory takes back is deleted', async () => {
    await send('90', base64(pdfOf('wrong')));
    await send(null, obx('', { status: 'W' }), { at: '20260125' });
    await expectOurs('90');
    expect(await countChunks(order.user_id)).toBe(0);
  });

  test('may be encoded as Hex, lack the PDF subtype, or be repeated', async () => {
    const pdf = pdfOf('hex');
    expect(await send('90', obx(pdf.toString('hex'), { encoding: 'Hex' }))).toMatchObject({ code: 'AA' });
    await expectOwn(pdf);
    const again = pdfOf('again');
    const unnamed = obx(again.toString('base64'), { of: 'application^octet-stream' });
    await send('91', unnamed + unnamed.replace('|9|', '|10|'), { at: '20260125' });
    await expectOwn(again);
  });

  test('is visible only to its team, and is erased with its user', async () => {
    await send('90', base64(pdfOf('theirs', 300_000)));
    const other = await app.makeTeam();
    const { order_transaction } = await readOrder(app.team, order.id);
    for (const path of [`order/${order.id}`, `order_transaction/${order_transaction.id}`]) {
      const refused = await fetchPdf(app, `/v3/${path}/result/pdf`, other.api_key);
      expect([refused.status, Buffer.from(refused.bytes).includes('not_found')]).toEqual([404, true]);
    }
    expect(await countChunks(order.user_id)).toBe(2);
    await app.team.api('DELETE', `/v2/user/${order.user_id}`);
    expect((await print()).status).toBe(404);
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${order.user_id}`.execute(app.db);
    await eraseUsers(app.ctx);
    expect(await countChunks(order.user_id)).toBe(0);
    expect((await print()).status).toBe(404);
  });
});

describe('a message whose document', () => {
  const cut = pdfOf('cut').subarray(0, -10);
  test.each([
    ['is cut off', base64(cut), 'document_broken'],
    ['is not valid Base64', obx('JVBERi0x*A=='), 'document_broken'],
    ['has lost characters of its Base64', obx(pdfOf('x').toString('base64').slice(0, -3)), 'document_broken'],
    ['is declared as PDF but is HTML', obx(Buffer.from('<html>%%EOF').toString('base64')), 'document_broken'],
    ['has an unknown encoding', obx('%PDF-1.7 %%EOF', { encoding: 'A' }), 'document_broken'],
    ['has more than 5 MiB', base64(pdfOf('large', 5 * 1_048_576)), 'document_too_large'],
    ['is one of two different ones', base64(pdfOf('one')) + base64(pdfOf('two')), 'too_many_documents'],
  ])('%s waits for the operator, and its values are stored without the document', async (_, more, code) => {
    expect(await send('90', more)).toEqual({ code: 'AE', error: code, reason: code, state: 'failed' });
    expect(await values()).toEqual(['90']);
    expect((await readOrder(app.team, order.id))['has_results_in_review']).toBe(true);
    await expectOurs('90');
    expect(await countChunks(order.user_id)).toBe(0);
  });

  test('comes without values waits for the operator, and no values are reported as missing', async () => {
    expect(await send(null, base64(pdfOf('alone')))).toMatchObject({ code: 'AE', error: 'document_without_values' });
    expect((await print()).status).toBe(404);
  });

  test.each([
    ['is a pointer to another system', obx(randomUUID(), { type: 'RP' })],
    ['is a picture', obx('/9j/4AAQ', { of: 'image^jpeg' })],
  ])('%s is applied without the document, with a note and a log line', async (_, more) => {
    logged.length = 0;
    expect(await send('90', more)).toMatchObject({ code: 'AA', reason: 'document_left_out' });
    expect(logged.filter((line) => line.includes('document_left_out')).length).toBe(1);
    await expectOurs('90');
  });

  test('is broken is applied without it if the settings leave documents out', async () => {
    await connect({ documents: 'leave_out' });
    expect(await send('90', base64(cut))).toMatchObject({ code: 'AA', reason: 'document_left_out' });
    await connect();
    await expectOurs('90');
  });
});
