import type { TSchema } from 'typebox';
import { defineEvent, type EventType } from '../../events/define.ts';
import type { SummaryResource } from './resource.ts';
import { SUMMARIES } from './summary-resources.ts';
import { SummaryDeleted } from './schemas.ts';
import { ShallowWorkoutStream } from './summary-streams/schemas.ts';

/** The events of a kind of summary. Devices have no event about a deletion. */
type Events = { created: EventType; updated: EventType; deleted: EventType | null };

/** Returns the events for new and for changed summaries, whose data has the same shape. */
function pair(name: string, data: TSchema, what: string): Pick<Events, 'created' | 'updated'> {
  return {
    created: defineEvent({
      name: `${name}.created`,
      data,
      summary: `There is a new ${what}. The event has all of it.`,
    }) as EventType,
    updated: defineEvent({
      name: `${name}.updated`,
      data,
      summary: `The ${what} has changed. The event has all of it, and replaces the earlier event.`,
    }) as EventType,
  };
}

const deleted = (name: string, what: string): EventType =>
  defineEvent({
    name: `daily.data.${name}.deleted`,
    data: SummaryDeleted,
    summary: `The ${what} was deleted at its source, and can no longer be read. Its id is not used again.`,
  }) as EventType;

const events = new Map(
  SUMMARIES.map(({ name, one, shape, isDevice }): [string, Events] => [
    name,
    isDevice
      ? { ...pair('provider.device', shape, one), deleted: null }
      : { ...pair(`daily.data.${name}`, shape, one), deleted: deleted(name, one) },
  ]),
);

/** Returns the events about a kind of summary. */
export const eventsOf = ({ name }: Pick<SummaryResource, 'name'>): Events => events.get(name) as Events;

export const workoutStreamCreated = defineEvent({
  name: 'daily.data.workout_stream.created',
  data: ShallowWorkoutStream,
  summary: 'There are points of a workout. The event has the path where they are read, since there can be very many.',
}) as EventType;

export const workoutStreamUpdated = defineEvent({
  name: 'daily.data.workout_stream.updated',
  data: ShallowWorkoutStream,
  summary: 'The points of a workout have changed. The event has the path where they are read.',
}) as EventType;

/** All events about summaries, in the order of the documentation. */
export const summaryEvents: EventType[] = [
  ...[...events.values()].flatMap(({ created, updated, deleted }) => [created, updated, ...(deleted ? [deleted] : [])]),
  workoutStreamCreated,
  workoutStreamUpdated,
];
