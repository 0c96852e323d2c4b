import type { Writer } from './user-writer.ts';

/**
 * Whether Phial publishes events about new or changed data. A team can turn them off for data of the past that it
 * pushes.
 */
export const willBePublished = ({ origin, team }: Pick<Writer, 'origin' | 'team'>): boolean =>
  origin !== 'backfill' || team.settings.backfill_events_enabled !== false;
