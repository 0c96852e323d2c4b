import { defineEvent, type EventType } from '../../events/define.ts';
import { SERIES } from '../resources.ts';
import { shapesOf } from './schemas.ts';

type Change = 'created' | 'updated';

/** Of each series that events tell of: samples that were not there, and samples that differ from what was there. */
const changes = new Map<string, Record<Change, EventType>>(
  SERIES.filter(({ event }) => event !== null).map((series) => {
    const tells = (change: Change, summary: string): EventType =>
      defineEvent({ name: `daily.data.${series.event}.${change}`, data: shapesOf(series).told, summary }) as EventType;
    return [
      series.name,
      {
        created: tells('created', `Samples came in: ${series.what}.`),
        updated: tells('updated', `Samples were replaced by other values: ${series.what}.`),
      },
    ];
  }),
);

/** Null for a series that no event tells of. */
export const sampleEvent = (series: { name: string }, change: Change): EventType | null =>
  changes.get(series.name)?.[change] ?? null;

export const sampleEvents: EventType[] = [...changes.values()].flatMap(({ created, updated }) => [created, updated]);
