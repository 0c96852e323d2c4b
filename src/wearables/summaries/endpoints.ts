import { Type, type TSchema } from 'typebox';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { batch } from '../../http/media.ts';
import { deletePushedSummaries } from './deletion/pushed.ts';
import { DELETION_VALUES, SummaryDeletion } from './deletion/input.ts';
import { findDevice, findProfile, findRawProfile } from './find.ts';
import { listRawSummaries, listSummaries, rangeOf } from './list.ts';
import { pushSummaries } from './push.ts';
import type { SummaryItem, SummaryResource } from './resource.ts';
import { device } from './resources/device.ts';
import { profile } from './resources/profile.ts';
import { SUMMARIES } from './resources.ts';
import {
  DeletedSummaries,
  DeviceParams,
  PushAnswer,
  RangeQuery,
  RawDevice,
  RawProfile,
  SourceQuery,
  UserParams,
} from './schemas.ts';
import { streamEndpoints } from './summary-streams/endpoints.ts';

const tag = 'summaries';
const params = UserParams;
const unknownUser = ['not_found', 'user_scheduled_for_deletion'] as const;

/** Where several are answered. */
const answerOf = (list: string, shape: TSchema) =>
  Type.Object({ [list]: Type.Array(shape, { description: 'The newest last.' }) });

const DAYS_WORDS = 'By calendar date, the newest last. Without data the list is empty.';

const listOf = (resource: SummaryResource, list: string): Endpoint =>
  endpoint({
    id: `list_${resource.name}`,
    method: 'GET',
    path: `/v2/summary/${resource.path}/{user_id}`,
    tag,
    params,
    query: RangeQuery,
    response: answerOf(list, resource.shape),
    summary: `List ${resource.many} of a user`,
    description: DAYS_WORDS,
    refusals: [...unknownUser, 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, query }) => ({
      [list]: await listSummaries(ctx, user_id, resource, rangeOf(query)),
    }),
  });

const listRawOf = (resource: SummaryResource, list: string, shape: TSchema): Endpoint =>
  endpoint({
    id: `list_${resource.name}_raw`,
    method: 'GET',
    path: `/v2/summary/${resource.path}/{user_id}/raw`,
    tag,
    params,
    query: RangeQuery,
    response: answerOf(list, shape),
    summary: `List ${resource.many} of a user as their providers gave them`,
    description: DAYS_WORDS,
    refusals: [...unknownUser, 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, query }) => ({
      [list]: await listRawSummaries(ctx, user_id, resource, rangeOf(query)),
    }),
  });

const pushOf = (resource: SummaryResource): Endpoint =>
  endpoint({
    id: `push_${resource.name}`,
    method: 'POST',
    path: `/v2/summary/${resource.path}/{user_id}`,
    auth: 'team_key_or_user_token',
    tag,
    params,
    body: batch(resource.pushed ?? resource.input, resource.most),
    response: PushAnswer,
    summary: `Push ${resource.many} of a user`,
    description:
      'For apps and devices: a list, or one a line (NDJSON), gzip is taken. All are stored or none. What is new is told by ' +
      'an event, as is what differs from the version that is known; the same again changes nothing. ' +
      "A user's own token pushes only what a phone or the person sends." +
      (resource.mostNaming === undefined ? '' : ` A sleep has at most ${resource.mostNaming} of them.`),
    refusals: [
      ...unknownUser,
      'provider_not_pushable',
      ...(resource.mostNaming === undefined ? [] : (['limit_reached'] as const)),
    ],
    handle: (ctx, { params: { user_id }, body }) => pushSummaries(ctx, user_id, resource, body as SummaryItem[]),
  });

const deleteOf = (resource: SummaryResource): Endpoint =>
  endpoint({
    id: `delete_${resource.name}`,
    method: 'DELETE',
    path: `/v2/summary/${resource.path}/{user_id}`,
    auth: 'team_key_or_user_token',
    tag,
    params,
    body: batch(SummaryDeletion, { items: 100, valuesEach: DELETION_VALUES, bytes: 1024 * 1024 }),
    response: DeletedSummaries,
    summary: `Delete ${resource.many} of a user`,
    description:
      'What its source has deleted: by id, by the `provider_id` that it was pushed with, or all of a source on some days, with what belongs to ' +
      `it, 10,000 at most; by a user's own token only what a phone or the person sends. ` +
      `A list, or one a line (NDJSON), gzip is taken. All of it is deleted, or nothing. daily.data.${resource.name}.deleted tells of ` +
      'each. What is not there is no mistake: the same request again deletes nothing and tells nobody.',
    refusals: [...unknownUser, 'too_many_matches', 'provider_not_deletable'],
    handle: (ctx, { params: { user_id }, body }) => deletePushedSummaries(ctx, user_id, resource, body),
  });

const profileEndpoints: Endpoint[] = [
  endpoint({
    id: 'get_profile',
    method: 'GET',
    path: '/v2/summary/profile/{user_id}',
    tag,
    params,
    query: SourceQuery,
    response: profile.shape,
    summary: 'Read the profile of a user',
    description:
      'Each source has one; this is the one that changed last of those that tell something, and 404 where there is none.',
    refusals: unknownUser,
    handle: (ctx, { params: { user_id }, query }) => findProfile(ctx, user_id, rangeOf(query).provider),
  }),
  endpoint({
    id: 'get_profile_raw',
    method: 'GET',
    path: '/v2/summary/profile/{user_id}/raw',
    tag,
    params,
    query: SourceQuery,
    response: RawProfile as TSchema,
    summary: 'Read the profile of a user as its provider gave it',
    description:
      'Each source has one; this is the one that changed last of those that tell something, and 404 where there is none.',
    refusals: unknownUser,
    handle: async (ctx, { params: { user_id }, query }) => ({
      profile: await findRawProfile(ctx, user_id, rangeOf(query).provider),
    }),
  }),
];

const deviceEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_devices',
    method: 'GET',
    path: '/v2/user/{user_id}/device',
    tag,
    params,
    response: Type.Array(device.shape),
    summary: 'List the devices of a user',
    refusals: [...unknownUser, 'too_many_matches'],
    handle: (ctx, { params: { user_id } }) => listSummaries(ctx, user_id, device, rangeOf({})),
  }),
  endpoint({
    id: 'get_device',
    method: 'GET',
    path: '/v2/user/{user_id}/device/{device_id}',
    tag,
    params: DeviceParams,
    response: device.shape,
    summary: 'Read a device of a user',
    refusals: unknownUser,
    handle: (ctx, { params: { user_id, device_id } }) => findDevice(ctx, user_id, device_id),
  }),
  endpoint({
    id: 'list_devices_raw',
    method: 'GET',
    path: '/v2/summary/devices/{user_id}/raw',
    tag,
    params,
    query: SourceQuery,
    response: Type.Object({ devices: Type.Array(RawDevice as TSchema, { description: 'The oldest first.' }) }),
    summary: 'List the devices of a user as their providers gave them',
    refusals: [...unknownUser, 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, query }) => ({
      devices: await listRawSummaries(ctx, user_id, device, rangeOf(query)),
    }),
  }),
];

export const summaryEndpoints: Endpoint[] = [
  ...SUMMARIES.flatMap((resource) => {
    const { list, rawShape } = resource;
    // A device is named by what it has measured.
    const changing = [pushOf(resource), ...(resource.isDevice ? [] : [deleteOf(resource)])];
    if (list === undefined) return changing;
    return [listOf(resource, list), ...(rawShape ? [listRawOf(resource, list, rawShape)] : []), ...changing];
  }),
  ...profileEndpoints,
  ...deviceEndpoints,
  ...streamEndpoints,
];
