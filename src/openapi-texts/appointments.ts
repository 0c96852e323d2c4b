/** Descriptions by field name, for every schema. */
export const appointments: Record<string, string> = {
  appointment_notes: 'For the person who takes the sample.',
  start_at: 'Start of the appointment, UTC; null while the time is unknown.',
  end_at: 'End of the appointment, UTC; null while the time is unknown.',
  iana_timezone: 'IANA time zone of the location.',
  external_id: 'Number of the appointment at the scheduler.',
  can_reschedule: 'Whether the appointment can still be moved to another slot.',
};
