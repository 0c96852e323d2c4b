// Sends every message of the corpus over a socket to a production deployment, and reads the results over HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { corpus, corpusMessage, type CorpusEntry } from '../../../../test/hl7-corpus.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import { exchangeFrames, startHl7Laboratory, text_, type Hl7Laboratory } from '../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

type ResultEntry = { slug: string; result: string; type: string; interpretation: string; notes: string | null };
type Results = { results?: ResultEntry[]; missing_results?: { slug: string }[] };
type Order = { id: string; number: string; sample: string };

/** Returns an analyte that a report may omit. */
const analyte = (code: string, name: string, more: object = {}): object => ({
  code,
  slug: `corpus-${name}`,
  name,
  required: false,
  ...more,
});
const FINDINGS = {
  normal_words: ['Non-reactive', 'Not detected', 'Negative', 'Absent'],
  abnormal_words: ['Reactive', 'Detected', 'Positive', 'Present'],
};
const METABOLIC = {
  analytes: [
    analyte('GLU', 'glucose', { loinc_code: '2345-7', unit: 'mg/dL' }),
    analyte('A1C', 'a1c', { loinc_code: '4548-4', unit: '%' }),
    analyte('K', 'potassium', { loinc_code: '2823-3', unit: 'mmol/L' }),
    analyte('TSH', 'tsh', { loinc_code: '3016-3' }),
    analyte('CRP', 'crp', { loinc_code: '1988-5' }),
  ],
};
const SEROLOGY = {
  provider_id: 'SER',
  slug: 'serology',
  name: 'Serology',
  analytes: [
    analyte('HIV', 'hiv', { result_type: 'coded_value', ...FINDINGS }),
    analyte('CT', 'chlamydia', { result_type: 'coded_value', ...FINDINGS }),
    analyte('NG', 'gonorrhea', { result_type: 'coded_value', ...FINDINGS }),
    analyte('RPR', 'rpr', { result_type: 'coded_value' }),
    analyte('ANA', 'ana', { result_type: 'comment' }),
  ],
};
const MICROBIOLOGY = {
  provider_id: 'MIC',
  slug: 'microbiology',
  name: 'Microbiology',
  analytes: [
    analyte('CULT', 'culture', { result_type: 'comment' }),
    analyte('ORG', 'organism', { result_type: 'coded_value' }),
    analyte('URCOL', 'urine-color', { result_type: 'comment' }),
  ],
};

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
const orders: Order[] = [];
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({
    PHIAL_ENVIRONMENT: 'production',
    PHIAL_BASE_URL: 'https://phial.example.com',
    PHIAL_HL7_PORT: '0',
    // The test makes orders faster than the rate limit allows.
    PHIAL_RATE_LIMIT_PER_SECOND: '0',
  });
  const hl7Settings = { orders: byMllp(laboratory.port), critical_flags: ['HU'] };
  await connectTestLaboratory(app.databaseUrl, hl7Settings, METABOLIC, [SEROLOGY, MICROBIOLOGY]);
  hl7 = await startHl7(app.ctx);
  const labTest = await addLabTest(app, app.team, 'testkit', ['MET', 'SER', 'MIC']);
  const wanted = corpus.length + corpus.filter(({ results2 }) => results2 !== undefined).length;
  for (let at = 0; at < wanted; at += 1) {
    const { id, sample_id } = await kitAtLaboratory(app, app.team, labTest);
    orders.push({ id, number: '', sample: sample_id as string });
  }
  await app.runJobs();
  const numbers = new Map(laboratory.orders.map((order) => [text_(order, 'SPM.2.1'), text_(order, 'ORC.2')]));
  for (const order of orders) order.number = numbers.get(order.sample) ?? '';
}, 300_000);
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

const resultsOf = async ({ id }: Order): Promise<Results> =>
  (await app.team.api<Results>('GET', `/v3/order/${id}/result`)).body;

/** Returns the results of an order in the form in which the corpus lists the expected results. */
function entriesOf({ results = [] }: Results, expected: CorpusEntry['results']): CorpusEntry['results'] {
  return Object.fromEntries(
    results.map(({ slug, result, type, interpretation, notes }) => {
      const wanted = expected[slug]?.[3];
      return [slug, [result, type, interpretation, ...(wanted === undefined ? [] : [notes ?? ''])]];
    }),
  ) as CorpusEntry['results'];
}

/** Returns for each analyte whether its FHIR Observation has an interpretation. */
async function interpretedOf({ id }: Order): Promise<Record<string, boolean>> {
  type Resource = { resourceType: string; status: string; code: { text: string }; interpretation?: object[] };
  const { body } = await app.team.api<{ entry: { resource: Resource }[] }>('GET', `/v3/order/${id}/result/fhir`);
  const observations = body.entry.map(({ resource }) => resource).filter((each) => each.resourceType === 'Observation');
  return Object.fromEntries(
    observations
      .filter(({ status }) => status !== 'cancelled' && status !== 'entered-in-error')
      .map(({ code, interpretation }) => [`corpus-${code.text}`, interpretation !== undefined]),
  );
}

const CONTROL_ID = /\b([CD]\d{3})\b/;

describe.each(corpus)('$file ($manner)', (entry) => {
  const { ack, reason, warnings = [], results, results2 = {}, missing = [], document } = entry;

  test(`${entry.shows} It is answered by ${String(ack)}${reason ? ` ${reason}` : ''}.`, async () => {
    const [order, second] = [orders.shift(), entry.results2 ? orders.shift() : undefined] as [Order, Order | undefined];
    expect(order.number).toMatch(/^P[0-9A-Z]{8}/);
    const content = corpusMessage(entry, { order: order.number, order2: second?.number ?? '', sample: order.sample });
    const [answer = ''] = await exchangeFrames(hl7.port as number, content);
    expect([...answer.matchAll(/^MSA\|(\w\w)/gm)].map(([, code]) => code)).toEqual([ack].flat());
    expect(/^ERR\|.*\^(\w+)$/m.exec(answer)?.[1]).toBe(reason);

    const shown = await resultsOf(order);
    expect(entriesOf(shown, results)).toEqual(results);
    if (Object.keys(results).length > 0) {
      const isKnown = Object.entries(results).map(([slug, [, , meaning]]) => [slug, meaning !== 'unknown']);
      expect(await interpretedOf(order)).toEqual(Object.fromEntries(isKnown));
    }
    expect((shown.missing_results ?? []).map(({ slug }) => slug)).toEqual(missing);
    if (second) expect(entriesOf(await resultsOf(second), results2)).toEqual(results2);
    const rows = await app.db
      .selectFrom('hl7_messages')
      .select('warnings')
      .where('control_id', '=', CONTROL_ID.exec(content.toString('latin1'))?.[1] ?? '')
      .execute();
    expect([...new Set(rows.flatMap((row) => row.warnings))]).toEqual(warnings);
    const documents = app.db.selectFrom('lab_result_documents').select('n').where('order_id', '=', order.id);
    expect(await documents.execute()).toHaveLength(document ? 1 : 0);
  });
});
