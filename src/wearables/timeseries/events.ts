import type { TSchema } from 'typebox';
import { defineEvent, type EventType } from '../../events/define.ts';
import { SERIES } from '../resources.ts';
import { SamplesDeleted, shapesOf } from './schemas.ts';

type Change = 'created' | 'updated' | 'deleted';

/** Of each series that events tell of: samples that were not there, that differ from what was there, and that are gone. */
const changes = new Map<string, Record<Change, EventType>>(
  SERIES.filter(({ event }) => event !== null).map((series) => {
    const tells = (change: Change, summary: string, data: TSchema = shapesOf(series).told): EventType =>
      defineEvent({ name: `daily.data.${series.event}.${change}`, data, summary }) as EventType;
    return [
      series.name,
      {
        created: tells('created', `Samples came in: ${series.what}.`),
        updated: tells('updated', `Samples were replaced by other values: ${series.what}.`),
        deleted: tells('deleted', `Samples were deleted at their source: ${series.what}.`, SamplesDeleted),
      },
    ];
  }),
);

/** Null for a series that no event tells of. */
export const sampleEvent = (series: { name: string }, change: Change): EventType | null =>
  changes.get(series.name)?.[change] ?? null;

export const sampleEvents: EventType[] = [...changes.values()].flatMap(({ created, updated, deleted }) => [
  created,
  updated,
  deleted,
]);
