/**
 * Marks a workout or sleep that a person typed in. The mark is an `app_id` and not a source type, because the source
 * type is part of the key of a summary. If it were a source type and a provider changed the mark, Phial would store a
 * second summary.
 */
export const BY_HAND = { app_id: 'manual' } as const;
