// A copy of the database contains no readable personal data. The test plays the story, then searches every column of
// every table.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SEALED_COLUMNS } from '../src/privacy/sealed-columns.ts';
import { demographics, patient, patientAddress, physician, shippingDetails } from '../examples/quickstart/people.ts';
import { quickstart } from '../examples/quickstart/quickstart.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { findTraces } from './find-traces.ts';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startTestApp();
  folder = mkdtempSync(join(tmpdir(), 'phial-dump-'));
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** Shorter names are part of other words, such as Ana in management. */
const SHORTEST = 4;

/** Texts of the story that could identify a person. Towns and states are in the payor directory too. */
function personalTexts(): string[] {
  const shared = new Set([patientAddress.city, patientAddress.state, patientAddress.country, 'US', 'female', '']);
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= SHORTEST && !shared.has(value)) texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  [demographics, patient, patientAddress, physician, shippingDetails].forEach(collect);
  return [...new Set([...texts, '6025550123', 'XYZ123456789'])];
}

test('after the story no table holds a name, a date of birth, a phone, a street or a member id', async () => {
  const { team } = app;
  writeFileSync(
    join(folder, 'credentials.json'),
    JSON.stringify({
      base_url: app.baseUrl,
      org_id: team.org_id,
      team_id: team.id,
      team_api_key: team.api_key,
      management_key: team.management_key,
    }),
  );
  const texts = personalTexts();
  // A house number may be that of a payor, and a family may have the name of a town.
  const before = await findTraces(app, texts, 'stored');
  const output: string[] = [];
  let over = false;
  const story = quickstart({
    env: { PHIAL_DATA_DIR: folder, DATABASE_URL: app.databaseUrl },
    print: (line) => output.push(line),
  }).finally(() => {
    over = true;
  });
  while (!over) {
    await app.deliver();
    await app.runJobs();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect({ code: await story, last: output.at(-1) }).toEqual({ code: 0, last: '\nEverything was as it should be.' });

  expect(texts).toEqual(expect.arrayContaining(['Grace', 'Palmer', '1988-04-12', '100 West Test Street']));
  const opened = await findTraces(app, texts, 'opened');
  expect(opened).toEqual(
    expect.arrayContaining(['user_info.info', 'insurances.details', 'orders.personal', 'events.body']),
  );
  expect(opened.filter((column) => !(column in SEALED_COLUMNS))).toEqual(before);
  expect(before.filter((column) => !/^(payors|zip_prefixes)\./.test(column))).toEqual([]);
  expect(await findTraces(app, texts, 'stored')).toEqual(before);
});
