// Questions of a laboratory about a test: from the operator's file to the orders.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { createOrder } from '../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import { startHl7Laboratory, text_, type Hl7Laboratory } from '../../../../test/hl7-laboratory.ts';

const YES_OR_NO = [
  { code: 'Y', value: 'Yes' },
  { code: 'N', value: 'No' },
];
const FASTING = { code: 'FAST', value: 'Did the patient fast?', type: 'choice', required: true, answers: YES_OR_NO };
const questions = [
  FASTING,
  {
    code: 'MEDS',
    value: 'Which of these are taken?',
    type: 'multi_choice',
    answers: [
      { code: 'MET', value: 'Metformin' },
      { code: 'STA', value: 'A statin | other' },
    ],
  },
  { code: 'HOURS', value: 'Hours since the last meal', type: 'numeric' },
  { code: 'NOTE', value: 'Anything else', type: 'text', answer_pattern: '^[A-Z]', default_answer: 'Nothing' },
];

type MarkerWithQuestions = { id: number; aoe: { questions: { id: number; code: string; required: boolean }[] } };

let laboratory: Hl7Laboratory;
let app: TestApp;
let labTestId: string;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({});
  await connect(questions);
  labTestId = await addLabTest(app, app.team);
});
afterAll(async () => {
  await app.close();
  await laboratory.close();
});

const connect = (asked: object[]): Promise<void> =>
  connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) }, { questions: asked });
const askedNow = async (): Promise<MarkerWithQuestions> => {
  const { body } = await app.team.api<{ markers: MarkerWithQuestions[] }>('GET', `/v3/lab_tests/${labTestId}`);
  return body.markers[0] as MarkerWithQuestions;
};
const answer = async (answers: Record<string, string>) => {
  const { id: marker_id, aoe } = await askedNow();
  return Object.entries(answers).map(([code, given]) => ({
    marker_id,
    question_id: aoe.questions.find((question) => question.code === code)?.id,
    answer: given,
  }));
};
const order = async (answers: Record<string, string>) =>
  createOrder(app.team, { lab_test_id: labTestId, aoe_answers: await answer(answers) });
/** The answer segments of the newest order, as the laboratory's library writes them. */
const sentAnswers = (): string[] =>
  String(laboratory.orders.at(-1))
    .split('\r')
    .filter((line) => line.startsWith('OBX'));
const outbox = (orderId: string) =>
  app.db.selectFrom('laboratory_outbox').selectAll().where('order_id', '=', orderId).execute();

test('an order without a required answer is refused, and a complete one contains its answers', async () => {
  expect((await askedNow()).aoe.questions.map(({ code, required }) => [code, required])).toEqual([
    ['FAST', true],
    ['MEDS', false],
    ['HOURS', false],
    ['NOTE', false],
  ]);
  const refused = await order({ HOURS: '8' });
  expect([refused.status, refused.body.code]).toEqual([400, 'aoe_answer_missing']);
  const taken = await order({ FAST: 'Y', MEDS: 'MET, STA', HOURS: '8.5' });
  expect(taken.status).toBe(200);
  await app.runJobs();
  expect(sentAnswers()).toEqual([
    'OBX|1|CWE|FAST^Did the patient fast?^L||Y^Yes^L||||||O',
    'OBX|2|CWE|MEDS^Which of these are taken?^L||MET^Metformin^L~STA^A statin \\F\\ other^L||||||O',
    'OBX|3|NM|HOURS^Hours since the last meal^L||8.5||||||O',
    'OBX|4|ST|NOTE^Anything else^L||Nothing||||||O',
  ]);
  const names = String(laboratory.orders.at(-1))
    .split('\r')
    .map((line) => line.slice(0, 3));
  expect(names.lastIndexOf('OBR')).toBeLessThan(names.indexOf('OBX'));
  expect(names.lastIndexOf('OBX')).toBeLessThan(names.indexOf('SPM') === -1 ? names.length : names.indexOf('SPM'));
});

test('the operator sees a kit that a laboratory refused because of a missing answer', async () => {
  laboratory.require(['OBX.5']);
  await connect([{ ...FASTING, required: false }]);
  const kit = await kitAtLaboratory(app, app.team, labTestId);
  await app.runJobs();
  expect(sentAnswers()).toEqual([]);
  expect(await outbox(kit.id)).toMatchObject([{ state: 'refused', last_error: 'ae_101' }]);
  const { body } = await order({ FAST: 'N' });
  await app.runJobs();
  expect(await outbox((body as unknown as { order: { id: string } }).order.id)).toMatchObject([{ state: 'accepted' }]);
  laboratory.require([]);
});

test('a question keeps its id, and answers to removed questions are not sent', async () => {
  await connect(questions);
  const before = (await askedNow()).aoe.questions;
  await connect([{ ...FASTING, value: 'Did they fast?' }, ...questions.slice(1)]);
  expect((await askedNow()).aoe.questions.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect((await order({ FAST: 'N', NOTE: 'Tall' })).status).toBe(200);
  await connect([FASTING, { code: 'NEW', value: 'A new one', type: 'text' }]);
  await app.runJobs();
  expect(sentAnswers()).toEqual(['OBX|1|CWE|FAST^Did the patient fast?^L||N^No^L||||||O']);
  expect(text_(laboratory.orders.at(-1) as never, 'OBX.3.1')).toBe('FAST');
});

describe('a file', () => {
  test.each([
    ['two questions with one code', [FASTING, FASTING], 'has the same code as another question'],
    ['a choice without answers', [{ ...FASTING, answers: [] }], 'needs answers to choose from'],
    ['a numeric question with answers', [{ ...FASTING, type: 'numeric' }], 'takes no answers'],
    ['an invalid pattern', [{ code: 'T', value: 'T', type: 'text', answer_pattern: '(' }], 'not a regular expression'],
    ['a default that is not an answer', [{ ...FASTING, default_answer: 'MAYBE' }], 'not one of the codes Y, N'],
  ])('with %s is refused', async (_, asked, problem) => {
    await expect(connect(asked)).rejects.toThrow(problem);
  });
});
