import { randomUUID } from 'node:crypto';
import { connectLaboratory, readConnectionFile } from '../src/labs/laboratories/hl7/connections/connect-laboratory.ts';
import { issueSampleIds } from '../src/labs/orders/bind-sample.ts';
import { newId } from '../src/ids.ts';
import type { Team, TestApp } from './test-app.ts';
import {
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  shippingAddress,
  consents,
  type OrderBody,
} from './factories.ts';
import { teamCtx } from './team-ctx.ts';

/** The connection file of the test laboratory. `hl7` overrides settings of the connection. */
const connectionFile = (
  hl7: Record<string, unknown>,
  marker: Record<string, unknown>,
  more: Record<string, unknown>[],
): Record<string, unknown> => ({
  laboratory: {
    slug: 'saguaro-lab',
    name: 'Saguaro Laboratory',
    first_line_address: '200 East Test Street',
    city: 'Phoenix',
    state: 'AZ',
    zipcode: '85004',
    clia_number: '03D0000001',
    collection_methods: ['testkit', 'walk_in_test', 'on_site_collection', 'at_home_phlebotomy'],
    sample_types: ['serum', 'dried_blood_spot'],
  },
  markers: [
    {
      provider_id: 'MET',
      slug: 'metabolic',
      name: 'Metabolic panel',
      type: 'panel',
      price: '19.00',
      analytes: [
        { code: 'GLU', slug: 'saguaro-glucose', name: 'Glucose', loinc_code: '2345-7', unit: 'mg/dL' },
        { code: 'A1C', slug: 'saguaro-hba1c', name: 'Hemoglobin A1c', loinc_code: '4548-4', unit: '%' },
      ],
      ...marker,
    },
    ...more,
  ],
  hl7: {
    time_zone: 'America/Phoenix',
    application: 'LAB',
    facility: 'LABFAC',
    account_number: 'ACC-1',
    results: { networks: ['127.0.0.1/32'] },
    ...hl7,
  },
});

/** Settings for orders that go by MLLP to a port of this machine. */
export const byMllp = (port: number, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  mllp: { host: '127.0.0.1', port, networks: ['127.0.0.1/32'], answer_seconds: 1 },
  ...more,
});

/** A second marker of the test laboratory. */
export const thyroid = {
  provider_id: 'THY',
  slug: 'thyroid',
  name: 'Thyroid panel',
  type: 'panel',
  price: '21.00',
  analytes: [
    { code: 'TSH', slug: 'saguaro-tsh', name: 'TSH', loinc_code: '3016-3', unit: 'mIU/L' },
    { code: 'FT4', slug: 'saguaro-ft4', name: 'Free T4', loinc_code: '3024-7', unit: 'ng/dL' },
  ],
};

/** Connects the test laboratory. `marker` overrides fields of its first marker, `more` adds markers. */
export async function connectTestLaboratory(
  databaseUrl: string,
  hl7: Record<string, unknown>,
  marker: Record<string, unknown> = {},
  more: Record<string, unknown>[] = [],
): Promise<void> {
  const read = readConnectionFile(JSON.stringify(connectionFile(hl7, marker, more)));
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  await connectLaboratory(databaseUrl, read.file);
}

/** Inserts an active lab test of the team at the connected laboratory, with the markers of these codes. */
export async function addLabTest(
  app: TestApp,
  team: Team,
  method = 'testkit',
  codes: string[] = ['MET'],
): Promise<string> {
  const id = newId();
  const lab = await app.db.selectFrom('labs').select('id').where('slug', '=', 'saguaro-lab').executeTakeFirstOrThrow();
  const markers = await app.db
    .selectFrom('markers')
    .select(['id', 'provider_id'])
    .where('lab_id', '=', lab.id)
    .where('provider_id', 'in', codes)
    .execute();
  await app.db
    .insertInto('lab_tests')
    .values({
      id,
      team_id: team.id,
      slug: `metabolic-${randomUUID().slice(0, 8)}`,
      name: 'Metabolic health',
      description: 'Sugar.',
      sample_type: 'dried_blood_spot',
      method,
      lab_id: lab.id,
      price: '29.00',
      status: 'active',
    })
    .execute();
  for (const { id: marker_id, provider_id } of markers)
    await app.db
      .insertInto('lab_test_markers')
      .values({ lab_test_id: id, marker_id, position: codes.indexOf(provider_id) })
      .execute();
  return id;
}

/** Orders and registers a kit at the connected laboratory, so that a message to the laboratory is due. */
export async function kitAtLaboratory(
  app: TestApp,
  team: Team,
  labTestId: string,
  changes: Record<string, unknown> = {},
): Promise<OrderBody> {
  const { user_id } = await makeUser(team);
  await team.api('POST', '/v3/order/testkit', { user_id, lab_test_id: labTestId, shipping_details: shippingAddress });
  const sample_id = `KIT${randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()}`;
  await issueSampleIds(await teamCtx(app.ctx, team.id), [sample_id]);
  const response = await team.api<{ order: OrderBody }>('POST', '/v3/order/testkit/register', {
    user_id,
    sample_id,
    patient_details: patientDetails,
    patient_address: patientAddress,
    consents,
    physician,
    ...changes,
  });
  return response.body.order;
}
