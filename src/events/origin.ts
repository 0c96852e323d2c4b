/**
 * How the data of a `daily.data.*` event came. live: by a push, a poll or a notification of the provider. backfill: by
 * a pull of the past. import: from an uploaded file. replay: `phial replay` mapped a stored provider payload again.
 */
export const ORIGINS = ['live', 'backfill', 'import', 'replay'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * The header with the origin, in deliveries and in messages to a broker. The member `origin` of the body has the same
 * value.
 */
export const ORIGIN_HEADER = 'phial-origin';

/** Returns true if events of this type have an origin. */
export const hasOrigin = (name: string): boolean => name.startsWith('daily.data.');
