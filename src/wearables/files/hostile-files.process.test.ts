// Files that are broken, cut off or malicious. Each import ends with a code that says why.
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeArchive } from '../../../test/make-archive.ts';
import { appleDocument, appleExport, appleRecord, heartRates, upload, type FileImport } from '../../../test/exports.ts';
import { makeUser } from '../../../test/factories.ts';
import { BatchScheduler, type GiveWay } from '../../batch-scheduler.ts';
import { parseConfig } from '../../config/options.ts';
import type { Owner } from '../../fair/round-robin.ts';
import { runImports } from './run-imports.ts';

const MIB = 1024 * 1024;

let app: TestApp;
let userId: string;
beforeAll(async () => {
  app = await startTestApp();
  userId = (await makeUser(app.team)).user_id;
});
afterAll(() => app.close());

const outcomeOf = ({ status, error, created }: FileImport) => ({ status, code: error?.code ?? null, created });
const read = async (id: string, user = userId): Promise<FileImport> =>
  (await app.api<FileImport>('GET', `/v2/user/${user}/import/${id}`)).body;

/** Sends a file and runs its import to the end, without the jobs around it, by a process with these options. */
async function importFile(userId: string, file: string | Buffer, env: Record<string, string> = {}) {
  const { body } = await upload(app.team, userId, file);
  const { config } = parseConfig({ PHIAL_UPLOAD_DIR: app.config.uploadDir as string, ...env });
  await runImports({ ...app.ctx, config });
  return read(body.id, userId);
}

const EXPORT = 'apple_health_export/export.xml';
const whole = appleExport(heartRates(2_000));
const flipped = Buffer.from(whole);
flipped[whole.indexOf('export.xml') + 2_000]! ^= 0xff;
const document = appleDocument(heartRates(10));

describe('an archive', () => {
  test.each<[string, () => Buffer, string]>([
    ['cut in half', () => whole.subarray(0, whole.length / 2), 'archive_broken'],
    ['with a changed byte', () => flipped, 'file_broken'],
    ['of two letters', () => Buffer.from('PK'), 'archive_broken'],
    ['without entries', () => makeArchive([]), 'archive_without_export'],
    ['of pictures', () => makeArchive([{ name: 'beach.png', content: randomBytes(100) }]), 'archive_without_export'],
    [
      'of other documents',
      () => makeArchive([{ name: EXPORT, content: '<ClinicalDocument/>' }]),
      'archive_without_export',
    ],
    ['with a wrong checksum', () => makeArchive([{ name: EXPORT, content: document, crc: 1 }]), 'archive_broken'],
    [
      'that has more bytes than it claims',
      () => makeArchive([{ name: EXPORT, content: document, uncompressedSize: 500 }]),
      'archive_broken',
    ],
    [
      'that has fewer bytes than it claims',
      () => makeArchive([{ name: EXPORT, content: document, uncompressedSize: document.length + 1 }]),
      'archive_broken',
    ],
    [
      'with an entry whose path leads out of it',
      () => makeArchive([{ name: '../../../etc/export.xml', content: document }]),
      'archive_broken',
    ],
    [
      'that is packed too tightly',
      () => makeArchive([{ name: EXPORT, content: appleDocument([' '.repeat(40 * MIB)]) }]),
      'archive_too_large',
    ],
    [
      'of 50,001 entries',
      () => makeArchive(Array.from({ length: 50_001 }, (_, n) => ({ name: `${n}`, content: '' }))),
      'archive_too_large',
    ],
  ])('%s fails with a code and a text', async (_what, make, code) => {
    const done = await importFile(userId, make());
    expect([done.status, done.error?.code]).toEqual(['failure', code]);
    expect(done.error?.message).toMatch(/^The .*\.$/);
    expect(done.ended_at).not.toBeNull();
  });

  test('with more bytes than the limit of the operator fails before it is read', async () => {
    const { user_id } = await makeUser(app.team);
    const done = await importFile(user_id, whole, { PHIAL_IMPORT_EXPANDED_LIMIT_BYTES: '2000' });
    expect(outcomeOf(done)).toEqual({ status: 'failure', code: 'archive_too_large', created: 0 });
  });

  test('fails with storage_full if its inner archive would need the reserve of the disk', async () => {
    const { user_id } = await makeUser(app.team);
    const inner = makeArchive([{ name: 'a.txt', content: 'text' }]);
    const file = makeArchive([{ name: 'DI_CONNECT/DI-Connect-Uploaded-Files/a.zip', content: inner }]);
    const { body } = await upload(app.team, user_id, file);
    const storage = { ...app.config.storage, reserveBytes: 1024 ** 5 };
    await runImports({ ...app.ctx, config: { ...app.config, storage } });
    expect(outcomeOf(await read(body.id, user_id))).toEqual({ status: 'failure', code: 'storage_full', created: 0 });
  });

  test('of a phone with another language is recognised by its content', async () => {
    const { user_id } = await makeUser(app.team);
    const file = makeArchive([
      {
        name: 'apple_health_export/导出_cda.xml',
        content: `<ClinicalDocument>${' '.repeat(20_000)}</ClinicalDocument>`,
      },
      { name: 'apple_health_export/other.xml', content: `<Other>${' '.repeat(10_000)}</Other>` },
      { name: 'apple_health_export/导出.xml', content: document },
    ]);
    expect(outcomeOf(await importFile(user_id, file))).toEqual({ status: 'success', code: null, created: 10 });
  });
});

describe('a document', () => {
  const entities = `<!DOCTYPE HealthData [<!ENTITY a "${'a'.repeat(1_000)}"><!ENTITY b "&a;&a;&a;&a;">]>`;
  test.each<[string, string, string]>([
    ['cut off within a record', document.slice(0, -200), 'file_incomplete'],
    ['that is not XML at the end', document.replace('</HealthData>', '<<<'), 'file_broken'],
    ['with entities that expand', `${entities}<HealthData locale="&b;"></HealthData>`, 'file_broken'],
    [
      'that names a file of the server',
      '<!DOCTYPE HealthData [<!ENTITY x SYSTEM "file:///etc/passwd">]><HealthData>&x;</HealthData>',
      'file_broken',
    ],
    ['with another root element', '<!DOCTYPE HealthData [ ]><html></html>', 'file_broken'],
  ])('%s fails with its own code', async (_what, file, code) => {
    const { user_id } = await makeUser(app.team);
    const done = await importFile(user_id, file);
    expect([done.status, done.error?.code]).toEqual(['failure', code]);
  });

  test('that is cut off is stored up to there, and the whole document adds the rest', async () => {
    const { user_id } = await makeUser(app.team);
    const half = document.slice(0, document.lastIndexOf(' <Record') + 20);
    expect(outcomeOf(await importFile(user_id, half))).toEqual({
      status: 'failure',
      code: 'file_incomplete',
      created: 9,
    });
    expect(await importFile(user_id, document)).toMatchObject({ status: 'success', created: 1, unchanged: 9 });
  });

  test('with unknown elements, units and values is read as far as they are known', async () => {
    const { user_id } = await makeUser(app.team);
    const file = appleDocument([
      '<Sounds level="3"><Sound><Deep at="now">text</Deep></Sound></Sounds>',
      appleRecord('HKQuantityTypeIdentifierHeartRate', { value: 61, unit: 'count/min' }),
      appleRecord('HKQuantityTypeIdentifierHeartRate', { value: 'sixty', unit: 'count/min' }),
      appleRecord('HKQuantityTypeIdentifierHeartRate', { value: 61, unit: 'furlongs' }),
      appleRecord('HKQuantityTypeIdentifierHeartRate', { value: 61, unit: 'count/min', start: 'yesterday' }),
      appleRecord('HKQuantityTypeIdentifierHeartRate', {
        value: 61,
        unit: 'count/min',
        start: '2099-01-01 00:00:00 +0000',
      }),
      '<Record/>',
    ]);
    const done = await importFile(user_id, file);
    expect(done).toMatchObject({ status: 'success', created: 1, skipped: 6 });
    expect(done.skipped_by_type).toEqual([
      { type: 'HKQuantityTypeIdentifierHeartRate', reason: 'unreadable', records: 3 },
      { type: 'other', reason: 'not_kept', records: 2 },
      { type: 'heartrate', reason: 'impossible', records: 1 },
    ]);
  });

  test.each<[string, Buffer | string]>([
    [
      'types and elements',
      appleDocument([
        appleRecord('HKQuantityTypeIdentifierGraceHopperIsIll', { value: 1 }),
        '<GraceHopper/>',
        '<ClinicalRecord type="GraceHopper"/>',
        '<Audiogram type="HKQuantityTypeIdentifierGraceHopper"/>',
      ]),
    ],
    [
      'endings',
      makeArchive([
        { name: EXPORT, content: document },
        { name: 'apple_health_export/a.Grace', content: '' },
        { name: 'apple_health_export/b.hopper', content: '' },
      ]),
    ],
    [
      'folders of Garmin',
      makeArchive([
        { name: 'DI_CONNECT/DI-Connect-Grace/a.json', content: '[]' },
        { name: 'DI_CONNECT/DI-Connect-User/Grace Hopper/b.json', content: '[]' },
      ]),
    ],
    [
      'folders and files of Google',
      makeArchive([
        { name: 'Takeout/Fitbit/Physical Activity_GoogleData/steps_2026-01-05.csv', content: 'timestamp,steps' },
        { name: 'Takeout/Fitbit/Grace Hopper/a.json', content: '[]' },
        { name: 'Takeout/Fitbit/Global Export Data/Grace Hopper is ill.json', content: '[]' },
      ]),
    ],
    [
      'tables of Samsung',
      makeArchive([
        { name: 'a/com.samsung.shealth.grace_hopper.20260109.csv', content: '' },
        { name: 'a/com.samsung.health.grace.hopper.csv', content: '' },
      ]),
    ],
  ])('counts %s as `other` if their names are words of a person', async (_what, file) => {
    const { user_id } = await makeUser(app.team);
    const done = await importFile(user_id, file);
    expect(done).toMatchObject({ status: 'success' });
    expect(JSON.stringify(done)).not.toMatch(/grace|hopper|ill/i);
    expect(done.skipped_by_type.map(({ type }) => type)).toContain('other');
    expect(done.skipped_by_type.reduce((sum, { records }) => sum + records, 0)).toBe(done.skipped);
  });

  test('that needs too much memory ends only its parser process', async () => {
    const { user_id } = await makeUser(app.team);
    const file = Buffer.concat([
      Buffer.from('<HealthData locale="'),
      Buffer.alloc(140 * MIB, 'a'),
      Buffer.from('"></HealthData>'),
    ]);
    expect(outcomeOf(await importFile(user_id, file))).toMatchObject({ status: 'failure', code: 'too_complex' });
    expect((await app.api('GET', `/v2/user/${user_id}`)).status).toBe(200);
  });
});

describe('an import', () => {
  test('that takes too long fails, and what it stored stays', async () => {
    const { user_id } = await makeUser(app.team);
    const file = appleDocument(heartRates(100_000));
    const done = await importFile(user_id, file, { PHIAL_IMPORT_TIMEOUT_SECONDS: '1' });
    expect([done.status, done.error?.code]).toEqual(['failure', 'took_too_long']);
    expect(done.created % 500).toBe(0);
    expect(done.created).toBeLessThan(100_000);
  });

  test('fails if reading its file takes too much processor time, even within the timeout', async () => {
    const { user_id } = await makeUser(app.team);
    const skipped = '<Record type="HKQuantityTypeIdentifierUnknown"/>'.repeat(1_000_000);
    const done = await importFile(user_id, appleDocument([skipped]), { PHIAL_IMPORT_CPU_SECONDS: '1' });
    expect([done.status, done.error?.code]).toEqual(['failure', 'took_too_long']);
  });

  test('fails with file_gone if its file does not exist', async () => {
    const { user_id } = await makeUser(app.team);
    const { body } = await upload(app.team, user_id, document);
    rmSync(join(app.config.uploadDir as string, body.id));
    await app.runJobs();
    expect(outcomeOf(await read(body.id, user_id))).toEqual({ status: 'failure', code: 'file_gone', created: 0 });
  });

  test('goes back to the queue if the process stops, and the next process ends it', async () => {
    const { user_id } = await makeUser(app.team);
    const { body } = await upload(app.team, user_id, whole);
    const stopping = new AbortController();
    class StopsAfterOne extends BatchScheduler {
      override async run<T>(owner: Owner, work: (giveWay: GiveWay) => Promise<T>): Promise<T> {
        const stored = await super.run(owner, work);
        stopping.abort();
        return stored;
      }
    }
    const config = { ...app.config };
    await runImports({ ...app.ctx, config, batches: new StopsAfterOne(10), stopping: stopping.signal });
    const stopped = await read(body.id, user_id);
    expect(stopped).toMatchObject({ status: 'queued', error: null });
    expect(stopped.created).toBeGreaterThan(0);
    expect(stopped.created).toBeLessThan(2_000);
    await app.runJobs();
    const done = await read(body.id, user_id);
    expect(done).toMatchObject({ status: 'success', created: 2_000, progress: 1 });
    expect(done.unchanged).toBe(stopped.created);
  });

  test('leaves no file, however it ended', async () => {
    await app.runJobs();
    expect(readdirSync(app.config.uploadDir as string)).toEqual([]);
    expect(await app.api('GET', `/v2/user/${userId}/import/${randomUUID()}`)).toMatchObject({ status: 404 });
  });
});
