/**
 * How data came that an event of `daily.data.*` tells of. live: by a push, a poll or a notification of its provider; backfill: by the
 * pull of the past; import: from an uploaded file; replay: a payload that is kept was mapped again.
 */
export const ORIGINS = ['live', 'backfill', 'import', 'replay'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The header of a delivery, and of a message to a broker, that says it: the key `origin` of the body says the same. */
export const ORIGIN_HEADER = 'phial-origin';

/** Whether events of this name say it. */
export const bearsOrigin = (name: string): boolean => name.startsWith('daily.data.');
