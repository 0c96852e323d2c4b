import type { TSchema } from 'typebox';
import { defineEvent, type EventType } from '../../events/define.ts';
import type { SummaryResource } from './resource.ts';
import { SUMMARIES } from './resources.ts';
import { ShallowWorkoutStream } from './summary-streams/schemas.ts';

type Pair = { created: EventType; updated: EventType };

/** A created and an updated event of the same shape. */
function pair(name: string, data: TSchema, what: string): Pair {
  return {
    created: defineEvent({
      name: `${name}.created`,
      data,
      summary: `There is a new ${what}, told whole.`,
    }) as EventType,
    updated: defineEvent({
      name: `${name}.updated`,
      data,
      summary: `The ${what} has changed: it is told whole and replaces what was told before.`,
    }) as EventType,
  };
}

const pairs = new Map(
  SUMMARIES.map((each) => [
    each.name,
    pair(each.isDevice ? 'provider.device' : `daily.data.${each.name}`, each.shape, each.one),
  ]),
);

/** The events that tell of a kind of summary. */
export const eventsOf = ({ name }: SummaryResource): Pair => pairs.get(name) as Pair;

export const workoutStreamCreated = defineEvent({
  name: 'daily.data.workout_stream.created',
  data: ShallowWorkoutStream,
  summary: 'There are points of a workout: the event tells where they are read, since there can be very many.',
}) as EventType;

export const workoutStreamUpdated = defineEvent({
  name: 'daily.data.workout_stream.updated',
  data: ShallowWorkoutStream,
  summary: 'The points of a workout have changed: the event tells where they are read.',
}) as EventType;

/** Every event of summaries, in the order of the documentation. */
export const summaryEvents: EventType[] = [
  ...[...pairs.values()].flatMap(({ created, updated }) => [created, updated]),
  workoutStreamCreated,
  workoutStreamUpdated,
];
