import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { orAccepted } from '../../http/media.ts';
import { Uuid, withDefault } from '../../wire/schema.ts';
import { connectDemo } from './demo/connect.ts';
import { introspectPulls } from './introspect/historical-pulls.ts';
import { introspectResources } from './introspect/resources.ts';
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

export const pullEndpoints: Endpoint[] = [
  endpoint({
    id: 'connect_demo',
    method: 'POST',
    path: '/v2/link/connect/demo',
    tag: 'connections',
    body: DemoConnectionInput,
    response: DemoConnection,
    summary: 'Connect a user to invented data',
    description:
      'In the sandbox. Brings the last 30 days of an invented person and goes on from there: heart rate with sleep, workouts ' +
      'with streams, or glucose with meals in it. The same user has the same data again.',
    refusals: ['sandbox_only', 'not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { body }) => connectDemo(ctx, body),
  }),
  endpoint({
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
      'From every connection that is pulled, and not pushed. 200 when all of them have answered, 202 when some still come: ' +
      'events tell of what they bring. One refresh of a user waits at a time, and a few of a team; others get 202 at once.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'nothing_to_refresh'],
    refusedWith: { nothing_to_refresh: UserRefreshErrorResponse },
    handle: (ctx, { params: { user_id }, query: { timeout } }) => refreshUser(ctx, user_id, timeout),
  }),
  endpoint({
    id: 'introspect_resources',
    method: 'GET',
    path: '/v2/introspect/resources',
    tag: 'introspect',
    query: IntrospectQuery,
    response: UserResources,
    summary: 'See what data there is of users',
    description: 'By provider and resource: from when to when, how much events told of, and how the last pull went.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { query }) => introspectResources(ctx, query),
  }),
  endpoint({
    id: 'introspect_historical_pulls',
    method: 'GET',
    path: '/v2/introspect/historical_pull',
    tag: 'introspect',
    query: IntrospectQuery,
    response: HistoricalPulls,
    summary: 'See how the pulls of the past stand',
    description: 'A pull a resource of each connection: what was asked for, how far it is, and why one failed.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { query }) => introspectPulls(ctx, query),
  }),
];
