/** Bodies of operations of people who follow orders and results, by operation. The people are invented. */
export const WORK_BODIES: Readonly<Record<string, unknown>> = {
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
