import type { TSchema } from 'typebox';
import { defineEvent, type EventType } from '../../events/define.ts';
import { SERIES } from '../series.ts';
import { SamplesDeleted, shapesOf } from './schemas.ts';

type Change = 'created' | 'updated' | 'deleted';

/** The events of each series that has events: about new samples, about changed samples, and about deleted samples. */
const changes = new Map<string, Record<Change, EventType>>(
  SERIES.filter(({ event }) => event !== null).map((series) => {
    const defineChange = (change: Change, summary: string, data: TSchema = shapesOf(series).changed): EventType =>
      defineEvent({ name: `daily.data.${series.event}.${change}`, data, summary }) as EventType;
    return [
      series.name,
      {
        created: defineChange('created', `New samples were stored: ${series.what}.`),
        updated: defineChange('updated', `Samples got other values: ${series.what}.`),
        deleted: defineChange('deleted', `Samples were deleted at their source: ${series.what}.`, SamplesDeleted),
      },
    ];
  }),
);

/** Returns the event for a change of a series; null if the series has no events. */
export const sampleEvent = (series: { name: string }, change: Change): EventType | null =>
  changes.get(series.name)?.[change] ?? null;

export const sampleEvents: EventType[] = [...changes.values()].flatMap(({ created, updated, deleted }) => [
  created,
  updated,
  deleted,
]);
