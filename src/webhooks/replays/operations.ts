import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Cursor, Uuid, withDefault } from '../../wire/schema.ts';
import { ofWebhook, WEBHOOK_PATH } from '../webhook-path.ts';
import { requestReplay } from './request-replay.ts';
import { cancelReplay } from './cancel-replay.ts';
import { findReplay } from './find.ts';
import { listReplays } from './list.ts';
import { RecoverInput, Replay, ReplayInput, ReplayPage } from './schemas.ts';

const tag = 'webhooks';
const auth = 'management_key';
const scope = 'team';
const ofReplay = Type.Object({ ...ofWebhook.properties, replay_id: Uuid });

const ABOUT =
  'The replay runs in the background, in the order of the events. New deliveries go first: a replay uses at ' +
  "most half of the endpoint's connections, and none while another delivery waits. `since` and `until` belong " +
  'to the window and are times of events. Without `until`, or with a later one, the window ends now. Deliveries ' +
  'keep their `webhook-id` and count on their attempts. A failed one continues with the retries that it has ' +
  'left. While the endpoint fails, one delivery at a time is tried, after a rest of up to a minute. While it is ' +
  'disabled, none is. An endpoint may have 5 replays that wait or run, of which one runs, and a team 20.';

export const replayOperations = [
  operation({
    id: 'recover_webhook',
    method: 'POST',
    path: `${WEBHOOK_PATH}/recover`,
    tag,
    auth,
    scope,
    params: ofWebhook,
    body: RecoverInput,
    response: Replay,
    summary: 'Send failed events again',
    description:
      'Sends every event of the window whose newest attempt at this endpoint failed, also when it was given up. ' +
      ABOUT,
    refusals: ['not_found', 'limit_reached', 'events_not_kept'],
    handle: async (ctx, { params, body }) => requestReplay(ctx, params.webhook_id, 'recover', body),
  }),
  operation({
    id: 'replay_webhook',
    method: 'POST',
    path: `${WEBHOOK_PATH}/replay`,
    tag,
    auth,
    scope,
    params: ofWebhook,
    body: ReplayInput,
    response: Replay,
    summary: 'Send the events of a window again',
    description:
      'Sends every event of the window that matches the filters of the endpoint, whatever its earlier result, ' +
      `also events from before the endpoint was created. ${ABOUT}`,
    refusals: ['not_found', 'limit_reached', 'events_not_kept'],
    handle: async (ctx, { params, body }) => requestReplay(ctx, params.webhook_id, 'replay', body),
  }),
  operation({
    id: 'list_webhook_replays',
    method: 'GET',
    path: `${WEBHOOK_PATH}/replay`,
    tag,
    auth,
    scope,
    params: ofWebhook,
    response: ReplayPage,
    summary: 'List the replays of an endpoint',
    description: 'The newest first, with recoveries. Replays that have ended are stored as long as events are.',
    query: Type.Object({
      next_cursor: Type.Optional(Cursor()),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
    }),
    refusals: ['not_found', 'invalid_cursor'],
    handle: async (ctx, { params, query: { next_cursor = null, limit } }) =>
      listReplays(ctx, params.webhook_id, { next_cursor, limit }),
  }),
  operation({
    id: 'get_webhook_replay',
    method: 'GET',
    path: `${WEBHOOK_PATH}/replay/{replay_id}`,
    tag,
    auth,
    scope,
    params: ofReplay,
    response: Replay,
    summary: 'Read the progress of a replay',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => findReplay(ctx, params),
  }),
  operation({
    id: 'cancel_webhook_replay',
    method: 'POST',
    path: `${WEBHOOK_PATH}/replay/{replay_id}/cancel`,
    tag,
    auth,
    scope,
    params: ofReplay,
    response: Replay,
    summary: 'Cancel a replay',
    description:
      'Starts nothing more of the replay. Deliveries under way end, and failed ones keep their retries. A ' +
      'replay that has ended stays as it is.',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => cancelReplay(ctx, params),
  }),
];
