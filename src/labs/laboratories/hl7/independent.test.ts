// A second HL7 library writes the results and reads the acknowledgments. It is neither our codec nor the library that
// the laboratory in the other tests uses.
import { Hl7Message, Hl7Segment } from '@medplum/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import { exchangeFrames, startHl7Laboratory, type Hl7Laboratory, text_ } from '../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let labTestId: string;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({
    PHIAL_ENVIRONMENT: 'production',
    PHIAL_BASE_URL: 'https://phial.example.com',
    PHIAL_HL7_PORT: '0',
  });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  labTestId = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

type Order = { id: string; number: string };
let [first, second]: [Order, Order] = [] as never;
beforeEach(async () => {
  [first, second] = [await taken(), await taken()];
});
async function taken(): Promise<Order> {
  const { id } = await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  return { id, number: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
}

const made = (...fields: string[]): Hl7Segment => new Hl7Segment(fields);
let sent = 0;
const header = (): Hl7Segment => {
  sent += 1;
  const [at, type] = ['20260122103000', 'ORU^R01^ORU_R01'];
  return made('MSH', '^~\\&', 'LAB', 'LABFAC', 'PHIAL', 'ACC-1', at, '', type, `M${sent}`, 'P', '2.5.1');
};
const patient = (id = 'X7'): Hl7Segment => made('PID', '1', '', id, '', 'Palmer^Grace', '', '19880412', 'F');
const request = ({ number }: Order): Hl7Segment => {
  const empty = (count: number): string[] => Array.from({ length: count }, () => '');
  return made('OBR', '1', number, `M-${number}`, 'MET', ...empty(17), '20260122103000', ...empty(2), 'F');
};
const value = (type: string, code: string, text: string, range = '', flag = ''): Hl7Segment =>
  made('OBX', '1', type, `${code}^${code}^L`, '', text, '', range, flag, '', '', 'F');

/** Sends a message and reads the answer with the library. */
async function send(...segments: Hl7Segment[]): Promise<Hl7Message> {
  const [answer = ''] = await exchangeFrames(hl7.port as number, new Hl7Message(segments).toString());
  return Hl7Message.parse(answer);
}
const codeOf = (answer: Hl7Message): string | undefined => answer.getSegment('MSA')?.getField(1).toString();
type ResultEntry = { result: string; type: string; interpretation: string; notes: string | null };
const resultsOf = async ({ id }: Order): Promise<string[][]> =>
  (await app.team.api<{ results: ResultEntry[] }>('GET', `/v3/order/${id}/result`)).body.results.map(
    ({ result, type, interpretation }) => [result, type, interpretation],
  );

describe('a message of another library', () => {
  test('is applied, and the library can read the answer', async () => {
    const answer = await send(
      header(),
      patient(),
      request(first),
      value('NM', 'GLU', '<40', '70-99', 'll'),
      made('NTE', '1', 'L', 'Repeat and\\or confirm'),
      value('SN', 'A1C', '>^14', '<5.7', 'H'),
    );
    expect([codeOf(answer), answer.getSegment('MSA')?.getField(2).toString()]).toEqual(['AA', `M${sent}`]);
    expect(answer.getSegment('MSH')?.getField(9).toString()).toBe('ACK^R01^ACK');
    expect(await resultsOf(first)).toEqual([
      ['<40', 'range', 'critical'],
      ['>14', 'range', 'abnormal'],
    ]);
  });

  test('of two patients gives each patient their own results', async () => {
    const glucose = (text: string): Hl7Segment => value('NM', 'GLU', text, '70-99');
    const ofFirst = [patient(), request(first), glucose('81')];
    const ofSecond = [patient('X8'), request(second), glucose('182')];
    expect(codeOf(await send(header(), ...ofFirst, ...ofSecond))).toBe('AA');
    expect(await resultsOf(first)).toEqual([['81', 'numeric', 'normal']]);
    expect(await resultsOf(second)).toEqual([['182', 'numeric', 'abnormal']]);
  });

  test('in a batch is answered in a batch', async () => {
    const messages = [first, second].map((order) =>
      new Hl7Message([header(), patient(), request(order), value('NM', 'GLU', '90', '70-99')]).toString(),
    );
    const batch = ['BHS|^~\\&|LAB|LABFAC|PHIAL|ACC-1|20260122||||B-1', ...messages, 'BTS|2'].join('\r');
    const [answer = ''] = await exchangeFrames(hl7.port as number, batch);
    const answers = answer.split(/(?=^MSH)/m).filter((each) => each.startsWith('MSH'));
    expect(answers.map((each) => codeOf(Hl7Message.parse(each)))).toEqual(['AA', 'AA']);
    expect([await resultsOf(first), await resultsOf(second)]).toEqual(
      [first, second].map(() => [['90', 'numeric', 'normal']]),
    );
  });
});
