import { Type, type TSchema } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { batch } from '../../operation/media.ts';
import { deletePushedSummaries } from './deletion/delete-pushed-summaries.ts';
import { DELETION_VALUES, SummaryDeletion } from './deletion/summary-deletion.ts';
import { findDevice, findProfile, findRawProfile } from './find.ts';
import { listRawSummaries, listSummaries, rangeOf } from './list.ts';
import { pushSummaries } from './push.ts';
import type { SummaryItem, SummaryResource } from './resource.ts';
import { device } from './resources/device.ts';
import { profile } from './resources/profile.ts';
import { SUMMARIES } from './summary-resources.ts';
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
import { streamOperations } from './summary-streams/operations.ts';

const tag = 'summaries';
const params = UserParams;
const unknownUser = ['not_found', 'user_scheduled_for_deletion'] as const;

/** Returns the schema of the response of an operation that lists summaries. */
const responseOf = (list: string, shape: TSchema) =>
  Type.Object({ [list]: Type.Array(shape, { description: 'The newest last.' }) });

const DAYS_WORDS = 'By calendar date, the newest last. Without data the list is empty.';

const listOf = (resource: SummaryResource, list: string): Operation =>
  operation({
    id: `list_${resource.name}`,
    method: 'GET',
    path: `/v2/summary/${resource.path}/{user_id}`,
    tag,
    params,
    query: RangeQuery,
    response: responseOf(list, resource.shape),
    summary: `List ${resource.many} of a user`,
    description: DAYS_WORDS,
    refusals: [...unknownUser, 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, query }) => ({
      [list]: await listSummaries(ctx, user_id, resource, rangeOf(query)),
    }),
  });

const listRawOf = (resource: SummaryResource, list: string, shape: TSchema): Operation =>
  operation({
    id: `list_${resource.name}_raw`,
    method: 'GET',
    path: `/v2/summary/${resource.path}/{user_id}/raw`,
    tag,
    params,
    query: RangeQuery,
    response: responseOf(list, shape),
    summary: `List ${resource.many} of a user as their providers sent them`,
    description: DAYS_WORDS,
    refusals: [...unknownUser, 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, query }) => ({
      [list]: await listRawSummaries(ctx, user_id, resource, rangeOf(query)),
    }),
  });

const pushOf = (resource: SummaryResource): Operation =>
  operation({
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
      'For apps and devices: a list, or one summary on each line (NDJSON); gzip is accepted. All are ' +
      'stored or none. An event is published for each new summary and each one that differs from its ' +
      "known version; an equal one changes nothing. A user's own token pushes only what a phone or the " +
      'person sends.' +
      (resource.mostNaming === undefined ? '' : ` A sleep has at most ${resource.mostNaming} of them.`),
    refusals: [
      ...unknownUser,
      'provider_not_pushable',
      ...(resource.mostNaming === undefined ? [] : (['limit_reached'] as const)),
    ],
    handle: (ctx, { params: { user_id }, body }) => pushSummaries(ctx, user_id, resource, body as SummaryItem[]),
  });

const deleteOf = (resource: SummaryResource): Operation =>
  operation({
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
      'Deletes what its source has deleted: by id, by the `provider_id` that it was pushed with, or ' +
      'all summaries of a source on some days. Summaries that belong to these are deleted too, at most ' +
      "10,000. A user's own token deletes only what a phone or the person sends. The body is a list, " +
      'or one deletion on each line (NDJSON); gzip is accepted. All of it is deleted, or nothing. ' +
      `daily.data.${resource.name}.deleted is published for each. What does not exist is no error: ` +
      'repeating the request deletes nothing and publishes nothing.',
    refusals: [...unknownUser, 'too_many_matches', 'provider_not_deletable'],
    handle: (ctx, { params: { user_id }, body }) => deletePushedSummaries(ctx, user_id, resource, body),
  });

const profileOperations: Operation[] = [
  operation({
    id: 'get_profile',
    method: 'GET',
    path: '/v2/summary/profile/{user_id}',
    tag,
    params,
    query: SourceQuery,
    response: profile.shape,
    summary: 'Read the profile of a user',
    description:
      'Each source has one. The response is the one that changed last among those with any value, and ' +
      '404 where there is none.',
    refusals: unknownUser,
    handle: (ctx, { params: { user_id }, query }) => findProfile(ctx, user_id, rangeOf(query).provider),
  }),
  operation({
    id: 'get_profile_raw',
    method: 'GET',
    path: '/v2/summary/profile/{user_id}/raw',
    tag,
    params,
    query: SourceQuery,
    response: RawProfile as TSchema,
    summary: 'Read the profile of a user as its provider sent it',
    description:
      'Each source has one. The response is the one that changed last among those with any value, and ' +
      '404 where there is none.',
    refusals: unknownUser,
    handle: async (ctx, { params: { user_id }, query }) => ({
      profile: await findRawProfile(ctx, user_id, rangeOf(query).provider),
    }),
  }),
];

const deviceOperations: Operation[] = [
  operation({
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
  operation({
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
  operation({
    id: 'list_devices_raw',
    method: 'GET',
    path: '/v2/summary/devices/{user_id}/raw',
    tag,
    params,
    query: SourceQuery,
    response: Type.Object({ devices: Type.Array(RawDevice as TSchema, { description: 'The oldest first.' }) }),
    summary: 'List the devices of a user as their providers sent them',
    refusals: [...unknownUser, 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, query }) => ({
      devices: await listRawSummaries(ctx, user_id, device, rangeOf(query)),
    }),
  }),
];

export const summaryOperations: Operation[] = [
  ...SUMMARIES.flatMap((resource) => {
    const { list, rawShape } = resource;
    // No operation deletes a device, because measurements name it.
    const changing = [pushOf(resource), ...(resource.isDevice ? [] : [deleteOf(resource)])];
    if (list === undefined) return changing;
    return [listOf(resource, list), ...(rawShape ? [listRawOf(resource, list, rawShape)] : []), ...changing];
  }),
  ...profileOperations,
  ...deviceOperations,
  ...streamOperations,
];
