import { Type, type Static } from 'typebox';
import { IcdCode } from '../../../insurance/diagnoses/schemas.ts';
import { HealthInsuranceInput } from '../../../insurance/schemas.ts';
import { PatientAddressInput } from '../../../wire/address.ts';
import { ImageInput } from '../../../wire/image/image-input.ts';
import type { Requirement } from '../../../wire/rules.ts';
import { CalendarDate, oneOf, optional, Prose, Text, Uuid, withDefault } from '../../../wire/schema.ts';
import { BILLING_TYPES } from '../../catalogue/lab-accounts/schemas.ts';
import { OrderSetInput } from '../../catalogue/order-sets/schemas.ts';
import { COLLECTION_METHODS } from '../../catalogue/schemas.ts';
import { AoeAnswer, ConsentInput, PatientDetailsInput, PhysicianInput, SampleId } from '../schemas.ts';
import { shape } from '../../../wire/shape.ts';

/** The ordering physician, with the signature image that we print on a requisition. */
export const PhysicianWithSignature = shape('PhysicianWithSignature', {
  ...PhysicianInput.properties,
  signature_image: optional(ImageInput('The signature, for the requisition.')),
});

/**
 * A request can name the account in two keys, but an order has one account. So both keys must not name different
 * accounts.
 */
const oneAccount: Requirement = {
  check: ({ lab_account_id, order_set }) => {
    const ofSet = (order_set as { lab_account_id?: unknown } | null | undefined)?.lab_account_id;
    if (typeof lab_account_id !== 'string' || typeof ofSet !== 'string') return [];
    if (lab_account_id.toLowerCase() === ofSet.toLowerCase()) return [];
    const msg = 'lab_account_id and order_set.lab_account_id name two accounts: send one of them';
    return [
      { at: ['lab_account_id'], type: 'value_error', msg },
      { at: ['order_set', 'lab_account_id'], type: 'value_error', msg },
    ];
  },
  words: '`lab_account_id` and `order_set.lab_account_id` must not name different accounts.',
};

const oneSetAndAccount: Requirement = {
  check: ({ lab_test_id, order_set, lab_account_id }) => {
    const given = [lab_test_id, order_set].filter((value) => value !== null && value !== undefined).length;
    if (given === 1) return oneAccount.check({ lab_account_id, order_set });
    return given === 0
      ? [{ at: ['order_set'], type: 'missing', msg: 'Field required' }]
      : [
          {
            at: ['lab_test_id'],
            type: 'value_error',
            msg: 'order_set replaces lab_test_id: send one of them',
          },
        ];
  },
  words: `One of \`order_set\` and the deprecated \`lab_test_id\` is needed. ${oneAccount.words}`,
};

export const CreateOrderInput = shape(
  'CreateOrderInput',
  {
    user_id: Uuid,
    lab_test_id: optional({ ...Uuid, deprecated: true, description: 'Use order_set.lab_test_ids.' }),
    order_set: optional(OrderSetInput),
    collection_method: optional(oneOf(COLLECTION_METHODS)),
    physician: optional(PhysicianWithSignature),
    health_insurance: optional({
      ...HealthInsuranceInput,
      deprecated: true,
      description: 'Stored as an insurance record of the user, and used for this order.',
    }),
    priority: withDefault(Type.Boolean(), false),
    billing_type: withDefault(oneOf(BILLING_TYPES), 'client_bill'),
    icd_codes: optional(Type.Array(IcdCode, { maxItems: 50 })),
    consents: optional(Type.Array(ConsentInput, { maxItems: 50 })),
    activate_by: optional(CalendarDate),
    aoe_answers: optional(Type.Array(AoeAnswer, { maxItems: 200 })),
    passthrough: optional(Text(1000)),
    clinical_notes: optional(Prose(5000)),
    lab_account_id: optional(Uuid),
    creator_member_id: optional({ ...Uuid, description: 'Accepted and ignored.' }),
    patient_details: PatientDetailsInput,
    patient_address: PatientAddressInput,
  },
  { consentsUnlessPhysician: true, fulfils: oneSetAndAccount },
);

/** The keys of a request that determine the laboratory, lab test and account of the order. */
export type DestinationInput = Pick<
  Static<typeof CreateOrderInput>,
  'lab_test_id' | 'order_set' | 'collection_method' | 'lab_account_id'
>;

/** The patient's address in the import of an order. Here receiver_name is required. */
const ImportedPatientAddress = Type.Object({
  ...PatientAddressInput.properties,
  receiver_name: Text(100, { minLength: 0 }),
});

export const ImportOrderInput = shape(
  'ImportOrderInput',
  {
    user_id: Uuid,
    billing_type: oneOf(BILLING_TYPES),
    order_set: OrderSetInput,
    collection_method: oneOf(COLLECTION_METHODS),
    physician: optional(PhysicianWithSignature),
    patient_details: PatientDetailsInput,
    patient_address: ImportedPatientAddress,
    sample_id: SampleId,
    lab_account_id: optional(Uuid),
  },
  { fulfils: oneAccount },
);
