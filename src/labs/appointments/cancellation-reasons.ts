import type { Static } from 'typebox';
import { AppError, notFound } from '../../errors.ts';
import type { AppointmentType, CancellationReason } from './schemas.ts';

type Reason = Static<typeof CancellationReason> & { needsNote?: true };

const reason = (n: number, name: string, is_refundable: boolean): Reason => ({
  id: `0b7f6a52-3c1d-4e8a-9f20-${String(n).padStart(12, '0')}`,
  name,
  is_refundable,
});

/** The reasons for a cancellation. Clients store the ids, so an id must never get another meaning. */
const REASONS: Readonly<Record<AppointmentType, readonly Reason[]>> = {
  phlebotomy: [
    reason(101, 'The patient is not available at that time', true),
    reason(102, 'The patient booked with somebody else', true),
    reason(103, 'The test is no longer needed', true),
    reason(104, 'The address was wrong', true),
    reason(105, 'The patient is not well', true),
    reason(106, 'The patient did not fast or prepare', false),
    { ...reason(199, 'Another reason, given in notes', false), needsNote: true },
  ],
  patient_service_center: [
    reason(201, 'The patient is not available at that time', true),
    reason(202, 'The patient goes to another location', true),
    reason(203, 'The test is no longer needed', true),
    reason(204, 'The patient is not well', true),
    { ...reason(299, 'Another reason, given in note', false), needsNote: true },
  ],
};

export const listCancellationReasons = (type: AppointmentType): Static<typeof CancellationReason>[] =>
  REASONS[type].map(({ needsNote: _, ...shown }) => shown);

/** Returns the reason with this id. Throws if the reason requires a note and `notes` is null. */
export function findCancellationReason(type: AppointmentType, id: string, notes: string | null): Reason {
  const found = REASONS[type].find((each) => each.id === id);
  if (!found) throw notFound('Cancellation reason');
  if (found.needsNote && (notes === null || notes === '')) {
    throw new AppError('cancellation_note_required', 'This reason needs a note that says why.');
  }
  return found;
}
