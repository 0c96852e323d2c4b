/**
 * What tells that a person typed a workout or sleep in (record 169). The kind of device stays what it would be: it is part of
 * what a summary is known by, and a mark that a provider changes must not make a second one.
 */
export const BY_HAND = { app_id: 'manual' } as const;
