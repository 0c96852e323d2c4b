/** Bodies of operations of people who follow orders and results, by operation. The people are invented. */
export const WORK_BODIES: Readonly<Record<string, unknown>> = {
  put_org_plan: { plan: 'scale' },
  put_closed_beta: { is_open: true },
  create_org_lab_account: {
    lab: 'simulated-kit-lab',
    provider_account_id: 'ACC-1042',
    allowed_billing: { client_bill: ['AZ', 'CA'] },
  },
  put_org_lab_account_status: { status: 'active' },
  correct_lab_report: {
    metadata: { patient_first_name: 'Ada', patient_last_name: 'Lovelace', dob: '1980-12-10' },
    results: [{ test_name: 'Glucose', value: '88', units: 'mg/dL', reference_range: '70-99' }],
  },
  acknowledge_critical_result: {
    acknowledged_by: 'Dr Ana Ruiz',
    called_person: 'Bo Chen, nurse of ward 3',
    called_at: '2026-01-05T08:00:00Z',
    read_back: true,
    note: 'The patient comes in today.',
  },
  create_order_note: { text: 'The patient asked for a call after 5 pm.', author: 'Ana Ruiz' },
  sign_off_critical_result: { signed_off_by: 'Dr Ana Ruiz', note: 'Potassium was given.' },
};
