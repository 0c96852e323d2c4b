import { address, person, SOMETHING, USER } from './invented.ts';

export const ORDER_BODIES: Readonly<Record<string, unknown>> = {
  create_order: {
    user_id: USER,
    order_set: { lab_test_ids: [SOMETHING] },
    physician: { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' },
    icd_codes: ['E11.9'],
    patient_details: person,
    patient_address: { receiver_name: 'Ada Lovelace', ...address },
  },
  import_order: {
    user_id: USER,
    billing_type: 'client_bill',
    order_set: { add_on: { provider_ids: ['REF-3016'] } },
    collection_method: 'walk_in_test',
    sample_id: 'LAB-000001',
    patient_details: person,
    patient_address: { receiver_name: 'Ada Lovelace', ...address },
  },
  create_testkit_order: {
    user_id: USER,
    lab_test_id: SOMETHING,
    shipping_details: { receiver_name: 'Ada Lovelace', ...address, phone_number: '+16025550123' },
  },
  register_testkit: {
    user_id: USER,
    sample_id: 'PH-000001',
    patient_details: person,
    patient_address: { receiver_name: 'Ada Lovelace', ...address },
    consents: ['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'].map((consentType) => ({
      consentType,
      version: '1.0',
    })),
  },
  patch_order: { activate_by: '2030-01-31' },
  correct_patient_details: { patient_details: person },
  create_order_note: { text: 'The patient asked for a call after 5 pm.', author: 'Ana Ruiz' },
  resend_order_events: { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-31T23:59:59Z' },
  patch_order_communication_settings: { sms_enabled: false },
};
