import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../../http/endpoint.ts';
import { findSleepStream, findWorkoutStream } from './find.ts';
import { SleepStream, WorkoutStream } from './schemas.ts';

const tag = 'summaries';

export const streamEndpoints: Endpoint[] = [
  endpoint({
    id: 'get_workout_stream',
    method: 'GET',
    path: '/v2/timeseries/workouts/{workout_id}/stream',
    tag,
    params: Type.Object({ workout_id: Type.String({ format: 'uuid', description: 'Id of the workout.' }) }),
    response: WorkoutStream,
    summary: 'Read the points of a workout',
    description:
      'Every list that is not empty is as long as time. Of a workout that came without points all are empty.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { workout_id } }) => findWorkoutStream(ctx, workout_id),
  }),
  endpoint({
    id: 'get_sleep_stream',
    method: 'GET',
    path: '/v2/timeseries/sleep/{sleep_id}/stream',
    tag,
    params: Type.Object({ sleep_id: Type.String({ format: 'uuid', description: 'Id of the sleep.' }) }),
    response: SleepStream,
    summary: 'Read what was measured during a sleep',
    description: 'Of a sleep that came without it all lists are empty.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { sleep_id } }) => findSleepStream(ctx, sleep_id),
  }),
];
