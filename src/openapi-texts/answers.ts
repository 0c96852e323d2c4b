/**
 * Examples of response bodies, by operation, if the schema alone does not describe the body well. If the response has
 * lines, the example is one line.
 */
export const ANSWERS: Readonly<Record<string, unknown>> = {
  export_team: {
    type: 'user',
    user_id: '01940000-0000-7000-8000-000000000001',
    data: {
      id: '01940000-0000-7000-8000-000000000001',
      client_user_id: 'patient-4711',
      fallback_time_zone: 'America/Phoenix',
      fallback_time_zone_at: '2026-01-31T12:00:00.000Z',
      fallback_birth_date: null,
      fallback_birth_date_at: null,
      ingestion_start: null,
      ingestion_end: null,
      created_at: '2026-01-31T12:00:00.000Z',
      deleted_at: null,
    },
  },
};
