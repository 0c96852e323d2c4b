import { Type } from 'typebox';
import { HealthInsuranceInput } from '../../insurance/schemas.ts';
import { LabTest } from '../catalogue/schemas.ts';
import { PatientAddress, PatientAddressInput, ShippingAddress, ShippingAddressInput } from '../../wire/address.ts';
import { GuarantorDetails } from '../../wire/guarantor.ts';
import {
  BirthDate,
  Email,
  Ethnicity,
  Gender,
  GenderIdentity,
  Npi,
  PersonName,
  PhoneNumber,
  PhysicianName,
  Race,
  SexualOrientation,
} from '../../wire/person.ts';
import {
  CalendarDate,
  nullable,
  NumericId,
  oneOf,
  optional,
  PastMoment,
  Text,
  Timestamp,
  Uuid,
} from '../../wire/schema.ts';
import { writtenOnce } from '../../wire/written-once.ts';
import { named, shape } from '../../wire/shape.ts';

export const SampleId = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9-]+$',
  description: 'Printed on the kit. Upper and lower case are the same.',
});

export const TestkitOrderInput = shape('TestkitOrderInput', {
  user_id: Uuid,
  lab_test_id: Uuid,
  shipping_details: ShippingAddressInput,
  passthrough: optional(Text(1000)),
  lab_account_id: optional(Uuid),
});

export const PatientDetailsInput = shape(
  'PatientDetailsInput',
  {
    first_name: PersonName,
    last_name: PersonName,
    dob: BirthDate,
    gender: Gender,
    phone_number: PhoneNumber,
    email: Email,
    medical_proxy: optional(GuarantorDetails),
    race: optional(Race),
    ethnicity: optional(Ethnicity),
    sexual_orientation: optional(SexualOrientation),
    gender_identity: optional(GenderIdentity),
    household_income: optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
    household_size: optional(Type.Integer({ minimum: 0, maximum: 100 })),
  },
  { minorNeedsProxy: true },
);

const physician = {
  first_name: PhysicianName('Given'),
  last_name: PhysicianName('Family'),
  npi: Npi,
  email: optional(Email),
  licensed_states: Type.Optional(Type.Array(Type.String({ format: 'us-state' }), { maxItems: 60 })),
};

export const PhysicianInput = shape('PhysicianInput', physician);

export const ConsentInput = shape('ConsentInput', {
  consentType: oneOf([
    'terms-of-use',
    'telehealth-informed-consent',
    'mobile-terms-and-conditions',
    'notice-of-privacy-practices',
    'privacy-policy',
    'hipaa-authorization',
  ]),
  version: Type.Optional(Text(50, { default: '1.0' })),
  timeOfConsent: Type.Optional(PastMoment),
});

export const AoeAnswer = shape('AoeAnswer', {
  marker_id: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'The marker to which the question belongs.',
  }),
  question_id: NumericId,
  answer: Text(500, {
    description: 'As the question requires: the code of an answer, codes separated by commas, a number or a text.',
  }),
});

export const RegisterTestkitInput = shape(
  'RegisterTestkitInput',
  {
    user_id: optional(Uuid),
    sample_id: SampleId,
    lab_test_id: optional({
      ...Uuid,
      description: 'The lab test of the kit. Required if the user waits for kits of several lab tests.',
    }),
    patient_details: PatientDetailsInput,
    patient_address: PatientAddressInput,
    physician: Type.Optional(
      nullable({ ...PhysicianInput, description: 'Left out: the physician stays. null: the order has none.' }),
    ),
    health_insurance: optional({
      ...HealthInsuranceInput,
      description: 'Stored as an insurance record of the user, and used for this order.',
    }),
    consents: Type.Optional(Type.Array(ConsentInput, { maxItems: 50 })),
  },
  { consentsUnlessPhysician: true },
);

export const OrderPatch = shape('OrderPatch', { activate_by: nullable(CalendarDate) });

export const OrderEvent = shape('OrderEvent', {
  id: Type.Integer({ description: 'Counts up within the order, from 1.' }),
  created_at: Timestamp,
  status: Type.String({ description: '<status>.<method>.<low_level_status>' }),
  status_detail: nullable(Type.String()),
});

export const Shipment = shape('Shipment', {
  id: Uuid,
  outbound_tracking_number: nullable(Type.String()),
  outbound_tracking_url: nullable(Type.String()),
  inbound_tracking_number: nullable(Type.String()),
  inbound_tracking_url: nullable(Type.String()),
  outbound_courier: nullable(Type.String()),
  inbound_courier: nullable(Type.String()),
  notes: nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const PatientDetails = shape('PatientDetails', {
  first_name: nullable(Type.String()),
  last_name: nullable(Type.String()),
  dob: CalendarDate,
  gender: Type.String(),
  phone_number: nullable(Type.String()),
  email: nullable(Type.String()),
  medical_proxy: nullable(GuarantorDetails),
  race: nullable(Type.String()),
  ethnicity: nullable(Type.String()),
  sexual_orientation: nullable(Type.String()),
  gender_identity: nullable(Type.String()),
});

/** The patient as lists of the work show it. The names are null unless the team shows them in its lists. */
export const ListedPatient = shape('ListedPatient', {
  first_name: nullable(Type.String()),
  last_name: nullable(Type.String()),
  dob: CalendarDate,
  gender: Type.String(),
});

export const OrderTransaction = shape('OrderTransaction', {
  id: Uuid,
  status: Type.String({
    description:
      'active while any order of it is open, cancelled when all orders are cancelled, otherwise ' +
      'completed. An order at redraw_available is not open once its redraw is completed.',
  }),
  orders: Type.Array(
    Type.Object({
      id: Uuid,
      low_level_status: nullable(Type.String()),
      low_level_status_created_at: nullable(Timestamp),
      origin: nullable(Type.String()),
      parent_id: nullable(Uuid),
      created_at: Timestamp,
      updated_at: Timestamp,
    }),
  ),
});

const order = {
  id: Uuid,
  team_id: Uuid,
  user_id: Uuid,
  patient_details: nullable(PatientDetails),
  patient_address: nullable(PatientAddress),
  shipping_details: nullable(ShippingAddress),
  lab_test: LabTest,
  details: Type.Object({
    type: Type.String({ description: 'The collection method of the order, for example testkit.' }),
    data: nullable(
      Type.Object(
        {
          id: Uuid,
          created_at: Timestamp,
          updated_at: Timestamp,
          shipment: Type.Optional(nullable(Shipment)),
          appointment_id: Type.Optional(nullable(Uuid)),
        },
        { description: 'Details of the collection method that type names.' },
      ),
    ),
  }),
  sample_id: nullable(Type.String()),
  notes: nullable(Type.String()),
  clinical_notes: nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  events: Type.Array(OrderEvent),
  status: nullable(Type.String({ deprecated: true, description: "The first part of the newest event's status." })),
  last_event: OrderEvent,
  physician: nullable(
    Type.Object({
      first_name: Type.String({ description: 'Given name of the physician.' }),
      last_name: Type.String({ description: 'Family name of the physician.' }),
      npi: Type.String(),
    }),
  ),
  health_insurance_id: nullable(Uuid),
  requisition_form_url: nullable(Type.String({ deprecated: true })),
  priority: Type.Boolean(),
  activate_by: nullable(CalendarDate),
  passthrough: nullable(Type.String()),
  billing_type: Type.String(),
  icd_codes: nullable(Type.Array(Type.String())),
  has_abn: Type.Boolean(),
  interpretation: nullable(Type.String()),
  has_missing_results: nullable(Type.Boolean()),
  has_results_in_review: Type.Boolean(),
  expected_result_by_date: nullable(CalendarDate),
  worst_case_result_by_date: nullable(CalendarDate),
  origin: nullable(Type.String()),
  order_transaction: nullable(OrderTransaction),
};

export const Order = named('Order', writtenOnce(Type.Object(order), 'lab_test'));

/** An order with more fields. It is the response of the operation that reads one order, and the data of an event. */
export const OrderInFull = named(
  'OrderInFull',
  writtenOnce(
    Type.Object({
      ...order,
      health_insurace_id: nullable({ ...Uuid, deprecated: true, description: 'The same as health_insurance_id.' }),
    }),
    'lab_test',
  ),
);

export const OrderAnswer = shape('OrderAnswer', { order: Order, status: Type.String(), message: Type.String() });

export const OrderPage = shape('OrderPage', {
  orders: Type.Array(Order),
  total: Type.Integer(),
  page: Type.Integer(),
  size: Type.Integer(),
});

export const OrderTransactionSummary = shape('OrderTransactionSummary', {
  id: Uuid,
  team_id: Uuid,
  status: Type.String(),
  orders: Type.Array(
    Type.Object({
      id: Uuid,
      origin: nullable(Type.String()),
      parent_id: nullable(Uuid),
      last_status: Type.String(),
      last_status_created_at: Timestamp,
      updated_at: Timestamp,
      created_at: Timestamp,
    }),
  ),
});
