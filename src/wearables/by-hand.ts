/**
 * Marks a workout or sleep that a person typed in. The mark does not change the source type, because the source type is
 * part of the key of a summary. Otherwise there would be a second summary if a provider changed its mark.
 */
export const BY_HAND = { app_id: 'manual' } as const;
