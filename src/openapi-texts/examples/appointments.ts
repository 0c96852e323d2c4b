const usAddress = { first_line: '1 Saguaro Way', city: 'Phoenix', state: 'AZ', zip_code: '85004' };
const booking = { booking_key: 'ATd8cXQ0bGtqZ2hmZHNh', appointment_notes: 'Second door on the left' };

export const APPOINTMENT_BODIES: Readonly<Record<string, unknown>> = {
  get_phlebotomy_availability: usAddress,
  book_phlebotomy_appointment: booking,
  request_phlebotomy_appointment: { address: usAddress, provider: 'getlabs' },
  reschedule_phlebotomy_appointment: booking,
  cancel_phlebotomy_appointment: { cancellation_reason_id: '0b7f6a52-3c1d-4e8a-9f20-000000000101' },
  book_psc_appointment: booking,
  reschedule_psc_appointment: booking,
  cancel_psc_appointment: { cancellationReasonId: '0b7f6a52-3c1d-4e8a-9f20-000000000201' },
};
