export const REPAIR_BODIES: Readonly<Record<string, unknown>> = {
  correct_lab_report: {
    metadata: { patient_first_name: 'Ada', patient_last_name: 'Lovelace', dob: '1980-12-10' },
    results: [{ test_name: 'Glucose', value: '88', units: 'mg/dL', reference_range: '70-99' }],
  },
  repair_laboratory_message: { changes: [{ segment: 5, field: 11, value: 'F' }] },
  accept_managed_unmatched_result: { order_id: '0199aaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa' },
  resolve_managed_unmatched_result: { action: 'reject', note: 'Not one of ours' },
};
