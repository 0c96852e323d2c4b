import { Type } from 'typebox';
import { operation, type Operation } from '../../../operation/operation.ts';
import { findSleepStream, findWorkoutStream } from './find.ts';
import { SleepStream, WorkoutStream } from './schemas.ts';

const tag = 'summaries';

export const streamOperations: Operation[] = [
  operation({
    id: 'get_workout_stream',
    method: 'GET',
    path: '/v2/timeseries/workouts/{workout_id}/stream',
    tag,
    params: Type.Object({ workout_id: Type.String({ format: 'uuid', description: 'Id of the workout.' }) }),
    response: WorkoutStream,
    summary: 'Read the points of a workout',
    description:
      'Every list that is not empty is as long as time. All are empty where the workout came without points.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { workout_id } }) => findWorkoutStream(ctx, workout_id),
  }),
  operation({
    id: 'get_sleep_stream',
    method: 'GET',
    path: '/v2/timeseries/sleep/{sleep_id}/stream',
    tag,
    params: Type.Object({ sleep_id: Type.String({ format: 'uuid', description: 'Id of the sleep.' }) }),
    response: SleepStream,
    summary: 'Read what was measured during a sleep',
    description: 'All lists are empty where the sleep came without samples.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { sleep_id } }) => findSleepStream(ctx, sleep_id),
  }),
];
