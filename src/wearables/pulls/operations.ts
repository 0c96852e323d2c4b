import { Type } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { orAccepted } from '../../operation/media.ts';
import { Uuid, withDefault } from '../../wire/schema.ts';
import { connectDemo } from './demo/connect.ts';
import { introspectPulls } from './introspect/historical-pulls.ts';
import { introspectResources } from './introspect/introspect-resources.ts';
import { refreshUser } from './refresh.ts';
import {
  DemoConnection,
  DemoConnectionInput,
  HistoricalPulls,
  IntrospectQuery,
  Refresh,
  UserRefreshErrorResponse,
  UserResources,
} from './schemas.ts';

export const pullOperations: Operation[] = [
  operation({
    id: 'connect_demo',
    method: 'POST',
    path: '/v2/link/connect/demo',
    tag: 'connections',
    body: DemoConnectionInput,
    response: DemoConnection,
    summary: 'Connect a user to invented data',
    description:
      'In the sandbox. Brings the last 30 days of an invented person and continues from there: heart ' +
      'rate with sleep, workouts with streams, or glucose with meals in it. The same user gets the ' +
      'same data again.',
    refusals: ['sandbox_only', 'not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { body }) => connectDemo(ctx, body),
  }),
  operation({
    id: 'refresh_user',
    method: 'POST',
    path: '/v2/user/refresh/{user_id}',
    tag: 'connections',
    params: Type.Object({ user_id: Uuid }),
    query: Type.Object({
      timeout: withDefault(Type.Number({ minimum: 5, maximum: 60, description: 'Seconds to wait for the data.' }), 10),
    }),
    waits: true,
    response: orAccepted(Refresh, ({ in_progress_sources }) => in_progress_sources.length === 0),
    summary: "Pull a user's newest data now",
    description:
      'From every connection that is pulled, not from those that push. 200 when all of them have ' +
      'answered, 202 when some are still under way: their data is published as events. One refresh of ' +
      'a user waits at a time, and a few of a team; others get 202 at once.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'nothing_to_refresh'],
    refusedWith: { nothing_to_refresh: UserRefreshErrorResponse },
    handle: (ctx, { params: { user_id }, query: { timeout } }) => refreshUser(ctx, user_id, timeout),
  }),
  operation({
    id: 'introspect_resources',
    method: 'GET',
    path: '/v2/introspect/resources',
    tag: 'introspect',
    query: IntrospectQuery,
    response: UserResources,
    summary: 'List the data of users by provider and resource',
    description:
      'Each entry has the times of the oldest and newest value, the number of values in events, and ' +
      'the outcome of the last pull.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { query }) => introspectResources(ctx, query),
  }),
  operation({
    id: 'introspect_historical_pulls',
    method: 'GET',
    path: '/v2/introspect/historical_pull',
    tag: 'introspect',
    query: IntrospectQuery,
    response: HistoricalPulls,
    summary: 'List the pulls of the past and their progress',
    description: 'One pull for each resource of a connection: its range, how far it is, and why it failed.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { query }) => introspectPulls(ctx, query),
  }),
];
