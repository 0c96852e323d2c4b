import type { Writer } from './user-writer.ts';

/** Whether we publish events about new or changed data. A team can turn this off while it pushes data of the past. */
export const willBePublished = ({ origin, team }: Pick<Writer, 'origin' | 'team'>): boolean =>
  origin !== 'backfill' || team.settings.backfill_events_enabled !== false;
