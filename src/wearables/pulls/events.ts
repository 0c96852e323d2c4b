import { defineEvent, type EventType } from '../../events/define.ts';
import { SERIES } from '../resources.ts';
import { SUMMARIES } from '../summaries/resources.ts';
import { HistoricalPullCompleted } from './schemas.ts';

/** Everything that can be pulled, as events name it. */
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
      summary: `The past was pulled from a provider: ${name}. Once a pull, also where there was nothing.`,
    }) as unknown as EventType,
  ]),
);

/** That everything of a resource has come, by the resource's name in events. */
export function pullCompleted(resource: string): EventType {
  const event = events.get(resource);
  if (!event) throw new Error(`No event tells that ${resource} was pulled.`);
  return event;
}

export const pullEvents: EventType[] = [...events.values()];
