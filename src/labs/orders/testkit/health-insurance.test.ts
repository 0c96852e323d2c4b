import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import {
  healthInsurance as insurance,
  makeUser,
  patientDetails,
  readOrder,
  register,
  type OrderBody,
} from '../../../../test/factories.ts';
import { jpegHead, pngHead } from '../../../../test/images.ts';
import { problemsOf } from '../../../../test/people.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const imageOf = (bytes: Buffer, content_type: string) => ({ content: bytes.toString('base64'), content_type });

let kits = 0;
async function registerWith(
  health_insurance: object,
): Promise<Awaited<ReturnType<typeof register>> & { userId: string }> {
  const { user_id } = await makeUser(app.team);
  const answer = await register(app.team, { sample_id: `INS-${(kits += 1)}`, user_id, health_insurance });
  return { ...answer, userId: user_id };
}
const latest = (userId: string) =>
  app.api<Record<string, unknown>>('GET', `/v2/user/${userId}/insurance/latest?is_primary=true`);

describe('insurance that comes with a registration', () => {
  test('is stored as a record of its user, with the member id as sent, and used for the order', async () => {
    const { status, body, userId } = await registerWith(insurance);
    const order = (body as { order: OrderBody }).order;
    expect(status).toBe(200);
    expect((await latest(userId)).body).toMatchObject({
      payor_code: 'SBX00001',
      member_id: 'XYZ123456789',
      relationship: 'Self',
      insured: { first_name: patientDetails.first_name, dob: patientDetails.dob, address: { city: 'Phoenix' } },
    });
    const { id } = await app.db
      .selectFrom('insurances')
      .select('id')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    expect(await readOrder(app.team, order.id)).toMatchObject({
      health_insurance_id: id,
      health_insurace_id: id,
      icd_codes: ['E11.9'],
    });
  });

  test('stores its images, sealed', async () => {
    const { userId } = await registerWith(insurance);
    const documents = await app.db
      .selectFrom('insurance_documents')
      .select(['id', 'kind', 'content'])
      .where('user_id', '=', userId)
      .orderBy('kind')
      .execute();
    expect(documents.map(({ kind }) => kind)).toEqual(['front_image', 'patient_signature_image']);
    const [front] = documents;
    const row = { team_id: app.team.id, id: front?.id as string };
    expect(app.ctx.cipher.openJson('insurance_documents.content', row, front?.content as Buffer)).toEqual(
      insurance.front_image,
    );
    expect(front?.content.includes('iVBORw0KGgo')).toBe(false);
  });

  test.each<[string, object, string]>([
    ['not an image', { content: 'R0lGODlhAQABAAAAACw=', content_type: 'image/png' }, 'content'],
    ['larger than the limit of pixels', imageOf(pngHead(5_000, 5_000), 'image/png'), 'content'],
    ['of another type than it states', imageOf(jpegHead(300, 120), 'image/png'), 'content_type'],
  ])('with an image that is %s is refused', async (_what, front_image, name) => {
    const { status, body } = await registerWith({ ...insurance, front_image });
    expect([status, problemsOf({ body })]).toEqual([422, [`body.health_insurance.front_image.${name} value_error`]]);
  });

  test('of an unknown payor is refused like any record, and nothing is registered', async () => {
    const { status, body, userId } = await registerWith({ ...insurance, payor_code: 'NOBODY' });
    expect([status, (body as { code?: string }).code]).toEqual([400, 'unknown_payor']);
    expect((await app.api<{ total: number }>('GET', `/v3/orders?user_id=${userId}`)).body.total).toBe(0);
  });

  test('of another person needs all details of that person', async () => {
    const address = { first_line: '1 Saguaro Way', country: 'US', zip: '85004', city: 'Phoenix', state: 'AZ' };
    const details = { first_name: 'Ada', last_name: 'Palmer', address, phone_number: '+16025550124' };
    const spouse = { ...insurance, responsible_relationship: 'Spouse', responsible_details: details };
    const refused = await registerWith(spouse);
    expect(problemsOf(refused)).toEqual([
      'body.health_insurance.responsible_details.dob missing',
      'body.health_insurance.responsible_details.email missing',
      'body.health_insurance.responsible_details.gender missing',
    ]);
    const whole = { ...details, dob: '1980-12-10', gender: 'female', email: 'ada@example.com' };
    const { userId } = await registerWith({ ...spouse, responsible_details: whole });
    expect((await latest(userId)).body).toMatchObject({ relationship: 'Spouse', insured: { first_name: 'Ada' } });
  });

  test('without payor or member id answers 422', async () => {
    const { payor_code: _, insurance_id: __, ...rest } = insurance;
    expect(problemsOf(await registerWith(rest))).toEqual([
      'body.health_insurance.insurance_id missing',
      'body.health_insurance.payor_code missing',
    ]);
  });
});
