import type { Writer } from './user-writer.ts';

/**
 * Whether Phial publishes events about new or changed data. When a team pushes data of the past (a backfill), it can
 * turn these events off.
 */
export const willBePublished = ({ origin, team }: Pick<Writer, 'origin' | 'team'>): boolean =>
  origin !== 'backfill' || team.settings.backfill_events_enabled !== false;
