import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { Cursor, Uuid, withDefault } from '../../wire/schema.ts';
import { ofWebhook, WEBHOOK_PATH } from '../places.ts';
import { askForReplay } from './ask.ts';
import { cancelReplay } from './cancel.ts';
import { findReplay } from './find.ts';
import { listReplays } from './list.ts';
import { RecoverInput, Replay, ReplayInput, ReplayPage } from './schemas.ts';

const tag = 'webhooks';
const auth = 'management_key';
const scope = 'team';
const ofReplay = Type.Object({ ...ofWebhook.properties, replay_id: Uuid });

const ABOUT =
  'It is done in the background, in the order of the events and beside what happens meanwhile, which goes first: a replay has at ' +
  "most half of the endpoint's connections, and none while anything else waits for it. `since` and `until` belong to the window " +
  'and are about when events happened; until is now where it is left out or ahead. Deliveries keep their `webhook-id`, count on ' +
  'in attempts, and what fails goes on by the retries that are left to it. While the endpoint fails, one delivery at a time is ' +
  'tried, after a rest of up to a minute; while it is disabled, none. An endpoint has at most 5 that wait or run, one at a time, a team 20.';

export const replayEndpoints = [
  endpoint({
    id: 'recover_webhook',
    method: 'POST',
    path: `${WEBHOOK_PATH}/recover`,
    tag,
    auth,
    scope,
    params: ofWebhook,
    body: RecoverInput,
    response: Replay,
    summary: 'Send again what failed',
    description: `Sends every event of the window whose newest attempt at this endpoint failed, given up or not. ${ABOUT}`,
    refusals: ['not_found', 'limit_reached', 'events_not_kept'],
    handle: async (ctx, { params, body }) => askForReplay(ctx, params.webhook_id, 'recover', body),
  }),
  endpoint({
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
      'Sends every event of the window that the filters of the endpoint let through, whatever became of it before, also what ' +
      `happened before the endpoint was made. ${ABOUT}`,
    refusals: ['not_found', 'limit_reached', 'events_not_kept'],
    handle: async (ctx, { params, body }) => askForReplay(ctx, params.webhook_id, 'replay', body),
  }),
  endpoint({
    id: 'list_webhook_replays',
    method: 'GET',
    path: `${WEBHOOK_PATH}/replay`,
    tag,
    auth,
    scope,
    params: ofWebhook,
    response: ReplayPage,
    summary: 'List the replays of an endpoint',
    description: 'The newest first, recoveries among them. Those that have ended are kept as long as events.',
    query: Type.Object({
      next_cursor: Type.Optional(Cursor()),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
    }),
    refusals: ['not_found', 'invalid_cursor'],
    handle: async (ctx, { params, query: { next_cursor = null, limit } }) =>
      listReplays(ctx, params.webhook_id, { next_cursor, limit }),
  }),
  endpoint({
    id: 'get_webhook_replay',
    method: 'GET',
    path: `${WEBHOOK_PATH}/replay/{replay_id}`,
    tag,
    auth,
    scope,
    params: ofReplay,
    response: Replay,
    summary: 'Read how far a replay came',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => findReplay(ctx, params),
  }),
  endpoint({
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
      'Nothing more of it is begun. Deliveries under way end, and what failed of it keeps its retries. One that has ended stays ' +
      'as it is.',
    refusals: ['not_found'],
    handle: async (ctx, { params }) => cancelReplay(ctx, params),
  }),
];
