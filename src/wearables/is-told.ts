import type { Writer } from './one-writer.ts';

/** Whether events tell of what is new or differs: not of a backfill where the team has turned that off. */
export const isTold = ({ origin, team }: Pick<Writer, 'origin' | 'team'>): boolean =>
  origin !== 'backfill' || team.settings.backfill_events_enabled !== false;
