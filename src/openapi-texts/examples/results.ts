export const RESULT_BODIES: Readonly<Record<string, unknown>> = {
  acknowledge_critical_result: {
    acknowledged_by: 'Dr Ana Ruiz',
    called_person: 'Bo Chen, nurse of ward 3',
    called_at: '2026-01-05T08:00:00Z',
    read_back: true,
    note: 'The patient comes in today.',
  },
  sign_off_critical_result: { signed_off_by: 'Dr Ana Ruiz', note: 'Potassium was given.' },
};
