import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/test-app.ts';
import { byMllp, connectTestLaboratory } from '../../../../../test/hl7-deployment.ts';
import { readCompendium } from '../../../catalogue/import/read-csv.ts';
import { importCompendium } from './import-compendium.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(9) });
});
afterAll(() => app.close());

const HEAD = 'provider_id,marker_slug,marker_name,marker_type,price,code,analyte_slug,analyte_name,loinc_code,unit';
const csv = (...lines: string[]): Buffer => Buffer.from(`\uFEFF${[HEAD, ...lines].join('\r\n')}\r\n`);
const MET = 'MET,metabolic,Metabolic panel,panel,21.00,GLU,saguaro-glucose,Glucose,2345-7,mg/dL';
const THY = 'THY,thyroid,"Thyroid, whole",panel,30.00,TSH,saguaro-tsh,TSH,3016-3,mIU/L';
const read = (bytes: Buffer) => {
  const found = readCompendium(bytes);
  if ('problems' in found) throw new Error(found.problems.join('\n'));
  return found.markers;
};
const problems = (bytes: Buffer): string[] => {
  const found = readCompendium(bytes);
  return 'problems' in found ? found.problems : [];
};
const prices = () =>
  app.db
    .selectFrom('markers')
    .innerJoin('labs', 'labs.id', 'markers.lab_id')
    .select(['provider_id', 'markers.price', 'a_la_carte_enabled'])
    .where('labs.slug', '=', 'saguaro-lab')
    .orderBy('provider_id')
    .execute();

test('a dry run lists the differences and changes nothing, and a second import lists none', async () => {
  const markers = read(csv(MET, THY));
  const before = await prices();
  const dry = await importCompendium(app.databaseUrl, { slug: 'saguaro-lab', markers, dryRun: true });
  expect(dry).toEqual(
    expect.arrayContaining(
      ['+ marker THY: Thyroid, whole', '~ marker MET: price 19 to 21', '+ code TSH: saguaro-tsh', '- code A1C'].map(
        (line) => (line.includes('price') ? expect.stringMatching(/^~ marker MET: price .*19.* to .*21/) : line),
      ),
    ),
  );
  expect(await prices()).toEqual(before);
  expect(await importCompendium(app.databaseUrl, { slug: 'saguaro-lab', markers, dryRun: false })).toEqual(dry);
  expect(await importCompendium(app.databaseUrl, { slug: 'saguaro-lab', markers, dryRun: false })).toEqual([]);
  const gone = await importCompendium(app.databaseUrl, { slug: 'saguaro-lab', markers: read(csv(MET)), dryRun: false });
  expect(gone).toEqual(['~ marker THY: orderable true to false', '- code TSH']);
  expect((await prices()).map(({ provider_id, a_la_carte_enabled }) => [provider_id, a_la_carte_enabled])).toEqual([
    ['MET', true],
    ['THY', false],
  ]);
  await expect(importCompendium(app.databaseUrl, { slug: 'nobody', markers, dryRun: false })).rejects.toThrow(
    /No laboratory nobody is connected/,
  );
});

test('problems of a file are listed with their lines, and unknown columns are refused', () => {
  const wrong = csv(
    MET,
    'MET,metabolic,Another name,panel,21.00,A1C,saguaro-hba1c,A1c,4548-4,%',
    MET,
    'X,Not A Slug,X,panel,ten,C,c,C,123,mg/dL',
    ',,,,,,,,,',
  );
  const messages = problems(wrong);
  expect(messages).toEqual(
    expect.arrayContaining([
      'line 3: says something else about MET than line 2',
      'line 4: repeats the code GLU of MET',
      expect.stringMatching(/^line 5: marker_slug /),
      expect.stringMatching(/^line 5: price /),
      expect.stringMatching(/^line 5: loinc_code /),
      'line 6: provider_id is empty',
    ]),
  );
  expect(problems(Buffer.from('provider_id,colour,colour\nMET,red,red\n'))).toEqual(
    expect.arrayContaining(['"colour" is no column', 'the column colour appears twice', 'the column code is missing']),
  );
  expect(problems(Buffer.from(`${HEAD}\nMET,metabolic\n`))).toEqual(['line 2: has 2 values instead of 10']);
  expect(problems(Buffer.from(''))).toEqual([expect.stringContaining('needs a line of column names')]);
  expect(problems(Buffer.from(`${HEAD}\n"MET,`))).toEqual([expect.stringContaining('is no CSV')]);
  expect(problems(Buffer.alloc(16 * 1024 * 1024 + 1))).toEqual(['the file is larger than 16 MiB']);
  const many = csv(...Array.from({ length: 300 }, () => 'X,,,,,,,,,'));
  expect(problems(many).length).toBe(201);
});
