import { defineEvent, type EventType } from '../../events/define.ts';
import { SERIES } from '../series.ts';
import { SUMMARIES } from '../summaries/summary-resources.ts';
import { HistoricalPullCompleted } from './schemas.ts';

/** All resources that we can pull, by their names in events. */
export const PULLED_NAMES = [
  ...SERIES.flatMap(({ event }) => (event === null ? [] : [event])),
  ...SUMMARIES.filter(({ isDevice }) => !isDevice).map(({ name }) => name),
  'workout_stream',
];

const events = new Map<string, EventType>(
  PULLED_NAMES.map((name) => [
    name,
    defineEvent({
      name: `historical.data.${name}.created`,
      data: HistoricalPullCompleted,
      summary:
        `The past was pulled from a provider: ${name}. Published once for each pull, also where there ` +
        'was no data.',
    }) as unknown as EventType,
  ]),
);

/** Returns the event that the end of a pull publishes. `resource` is the resource's name in events. */
export function pullCompleted(resource: string): EventType {
  const event = events.get(resource);
  if (!event) throw new Error(`There is no event for a pull of ${resource}.`);
  return event;
}

export const pullEvents: EventType[] = [...events.values()];
