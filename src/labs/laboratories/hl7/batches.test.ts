// Frames with several messages, and messages of several patients or orders.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import { exchangeFrames, startHl7Laboratory, text_, type Hl7Laboratory } from '../../../../test/hl7-laboratory.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let labTestId: string;
const logged: string[] = [];
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp(
    {
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_BASE_URL: 'https://phial.example.com',
      PHIAL_HL7_PORT: '0',
      PHIAL_LOG_LEVEL: 'info',
    },
    { logTo: (line) => logged.push(line) },
  );
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  labTestId = await addLabTest(app, app.team);
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

type Order = { id: string; user_id: string; number: string };
let [first, second]: [Order, Order] = [] as never;
beforeEach(async () => {
  [first, second] = [await taken(), await taken()];
});
async function taken(): Promise<Order> {
  const { id, user_id } = await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  return { id, user_id, number: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
}

let sent = 0;
const header = (): string =>
  `MSH|^~\\&|LAB|LABFAC|PHIAL|ACC-1|20260122103000||ORU^R01^ORU_R01|B${(sent += 1)}|P|2.5.1\r`;
const PATIENT = 'PID|1||X7||Palmer^Grace||19880412|F\r';
const request = ({ number }: Order, more = ''): string =>
  `OBR|1|${number}|F-${number}|MET|||20260120081500|||||||20260121090000||||||||20260122103000|||F\r${more}`;
const glucose = (value: string): string => `OBX|1|NM|GLU^Glucose^L||${value}|mg/dL|70-99||||F\r`;
const messageOf = (order: Order, value: string): string => header() + PATIENT + request(order, glucose(value));
const valuesOf = async ({ id }: Order): Promise<string[]> =>
  ((await app.team.api<{ results?: { result: string }[] }>('GET', `/v3/order/${id}/result`)).body.results ?? []).map(
    ({ result }) => result,
  );
const segmentsOf = (answer = ''): string[] => answer.split('\r').filter(Boolean);
const storedMessages = (controlId: string) =>
  app.db.selectFrom('hl7_messages').selectAll().where('control_id', '=', controlId).orderBy('id').execute();

describe('a batch by MLLP', () => {
  test('is answered with a batch that names it and has an answer to each message', async () => {
    const wrong = messageOf(second, 'high');
    const [answer, ...more] = await exchangeFrames(
      hl7.port as number,
      'FHS|^~\\&|LAB|LABFAC|PHIAL|ACC-1|20260122||||FILE-7\r' +
        `BHS|^~\\&|LAB|LABFAC|PHIAL|ACC-1|20260122||||BATCH-7\r${messageOf(first, '91')}${wrong}BTS|2\rFTS|1\r`,
    );
    expect(more).toEqual([]);
    const segments = segmentsOf(answer);
    expect(segments.map((segment) => segment.slice(0, 3)).join(' ')).toBe('FHS BHS MSH MSA MSH MSA ERR BTS FTS');
    expect([segments[0]?.split('|')[11], segments[1]?.split('|')[11]]).toEqual(['FILE-7', 'BATCH-7']);
    expect(segments[1]).toMatch(/^BHS\|\^~\\&\|PHIAL\|ACC-1\|LAB\|LABFAC\|/);
    expect([segments[3], segments[5]]).toEqual([`MSA|AA|B${sent}`, `MSA|AE|B${sent - 1}`]);
    const ids = segments.flatMap((segment) => {
      const fields = segment.split('|');
      return fields[0] === 'MSH' ? [fields[9]] : ['FHS', 'BHS'].includes(fields[0] as string) ? [fields[10]] : [];
    });
    expect(new Set(ids).size).toBe(4);
    expect(segments.slice(-2)).toEqual(['BTS|2', 'FTS|1']);
    expect(await valuesOf(first)).toEqual(['91']);
    expect(await valuesOf(second)).toEqual([]);
  });

  test('with fewer messages than its trailer counts is applied, and the answer and the log report it', async () => {
    logged.length = 0;
    const [answer] = await exchangeFrames(
      hl7.port as number,
      `BHS|^~\\&|LAB|LABFAC|||20260122||||BATCH-8\r${messageOf(first, '92')}BTS|2\r`,
    );
    expect(segmentsOf(answer).at(-1)).toBe('BTS|1|batch_incomplete');
    expect(logged.join('')).toContain('batch_incomplete');
    expect(await valuesOf(first)).toEqual(['92']);
  });

  test('that is sent again changes nothing', async () => {
    const two = messageOf(first, '93') + messageOf(second, '94');
    const batch = `BHS|^~\\&|LAB|LABFAC|||20260122||||BATCH-9\r${two}BTS|2\r`;
    for (let time = 0; time < 2; time += 1) {
      const [answer] = await exchangeFrames(hl7.port as number, batch);
      expect(segmentsOf(answer).filter((segment) => segment.startsWith('MSA|AA|'))).toHaveLength(2);
    }
    expect([await valuesOf(first), await valuesOf(second)]).toEqual([['93'], ['94']]);
    expect(await storedMessages(`B${sent}`)).toHaveLength(1);
  });
});

test('messages in one frame without a batch get an answer frame each', async () => {
  const answers = await exchangeFrames(hl7.port as number, messageOf(first, '95') + messageOf(second, '96'), 2);
  expect(answers.map((answer) => segmentsOf(answer)[1])).toEqual([`MSA|AA|B${sent - 1}`, `MSA|AA|B${sent}`]);
  expect([await valuesOf(first), await valuesOf(second)]).toEqual([['95'], ['96']]);
});

describe('a message of two patients', () => {
  const other = PATIENT.replace('X7', 'X8');

  test('gives each patient the results of their own order, and assigns each part to its user', async () => {
    const message = header() + PATIENT + request(first, glucose('81')) + other + request(second, glucose('82'));
    const [answer] = await exchangeFrames(hl7.port as number, message);
    expect(segmentsOf(answer)[1]).toBe(`MSA|AA|B${sent}`);
    expect([await valuesOf(first), await valuesOf(second)]).toEqual([['81'], ['82']]);
    const rows = await storedMessages(`B${sent}`);
    expect(rows.map(({ user_id }) => user_id)).toEqual([first.user_id, second.user_id]);
  });

  test('applies the part of the known patient, and only the part of the unknown one waits', async () => {
    const unknownOrder = { ...second, number: 'UNKNOWN-1' };
    const message = header() + PATIENT + request(first, glucose('83')) + other + request(unknownOrder, glucose('84'));
    const [answer] = await exchangeFrames(hl7.port as number, message);
    expect(segmentsOf(answer)[1]).toBe(`MSA|AE|B${sent}`);
    expect(await valuesOf(first)).toEqual(['83']);
    expect((await storedMessages(`B${sent}`)).map(({ state, reason }) => [state, reason])).toEqual([
      ['applied', null],
      ['failed', 'unknown_number'],
    ]);
    // If the laboratory sends the message again, we recognise both parts and store nothing new.
    await exchangeFrames(hl7.port as number, message);
    expect(await storedMessages(`B${sent}`)).toHaveLength(2);
  });

  test('with one patient in two places is split into two parts', async () => {
    const again = request(first, 'OBX|2|NM|A1C^A1c^L||5.4|%|<5.7||||F\r');
    const message =
      header() + PATIENT + request(first, glucose('85')) + other + request(second, glucose('86')) + PATIENT;
    await exchangeFrames(hl7.port as number, message + again);
    expect([await valuesOf(first), await valuesOf(second)]).toEqual([['85', '5.4'], ['86']]);
    expect(await storedMessages(`B${sent}`)).toHaveLength(2);
  });
});

test('a message of two orders of one patient gives each order its own results', async () => {
  const message = header() + PATIENT + request(first, glucose('87')) + request(second, glucose('88'));
  const [answer] = await exchangeFrames(hl7.port as number, message);
  expect(segmentsOf(answer)[1]).toBe(`MSA|AA|B${sent}`);
  expect([await valuesOf(first), await valuesOf(second)]).toEqual([['87'], ['88']]);
});
