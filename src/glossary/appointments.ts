/** What a field of this name means, wherever it stands. */
export const appointments: Record<string, string> = {
  appointment_notes: 'For whoever takes the sample.',
  start_at: 'When it begins, UTC; null while no time is known.',
  end_at: 'When it ends, UTC; null while no time is known.',
  iana_timezone: 'IANA time zone of the place.',
  external_id: "The scheduler's own number of it.",
  can_reschedule: 'Whether it can still be moved to another slot.',
};
