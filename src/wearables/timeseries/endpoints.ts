import { Type } from 'typebox';
import { endpoint, type Deprecation, type Endpoint } from '../../http/endpoint.ts';
import { batch } from '../../http/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { SERIES, type Series } from '../resources.ts';
import { deletePushedSamples } from './deletion/pushed.ts';
import { DELETION_VALUES, SampleDeletion } from './deletion/input.ts';
import { pushSamples } from './push-samples.ts';
import { pageOf, readGrouped } from './read-grouped.ts';
import { readUngrouped } from './read-ungrouped.ts';
import { SampleInput, VALUES_EACH } from './sample-input.ts';
import { DeletedSamples, GroupedQuery, shapesOf, StoredSamples, UngroupedQuery } from './schemas.ts';

const tag = 'timeseries';
const params = Type.Object({ user_id: Uuid });

const MOST_SAMPLES = 5_000;
const MOST_DELETIONS = 1_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** Since when the form without groups is deprecated. */
const SINCE = '2024-10-01';

export const timeseriesEndpoints: Endpoint[] = [
  endpoint({
    id: 'push_samples',
    method: 'POST',
    path: '/v2/timeseries/{user_id}/samples',
    tag,
    auth: 'team_key_or_user_token',
    params,
    body: batch(SampleInput, { items: MOST_SAMPLES, valuesEach: VALUES_EACH, bytes: MOST_BYTES }),
    response: StoredSamples,
    summary: 'Push samples of a user',
    description:
      'At most 5,000 samples of any series, as a JSON list or NDJSON, gzip taken; all of them are stored, or none. A sample is ' +
      'known by its series, provider, kind of device and time: sent again with another value it replaces the first, ' +
      'sent again as it was it changes nothing. Units that are not those of the series are converted. ' +
      "A user's own token pushes only what a phone or the person sends.",
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'sample_of_other_user',
      'limit_reached',
      'provider_not_pushable',
    ],
    handle: (ctx, { params: { user_id }, body }) => pushSamples(ctx, user_id, body),
  }),
  endpoint({
    id: 'delete_samples',
    method: 'DELETE',
    path: '/v2/timeseries/{user_id}/samples',
    tag,
    auth: 'team_key_or_user_token',
    params,
    body: batch(SampleDeletion, { items: MOST_DELETIONS, valuesEach: DELETION_VALUES, bytes: MOST_BYTES }),
    response: DeletedSamples,
    summary: 'Delete samples of a user',
    description:
      'What its source has deleted: by the `record_id` that it was pushed with, by its time, or all of a source in an interval. As a JSON ' +
      'list or NDJSON, gzip taken; all of it is deleted, or nothing, at most 20,000 samples. `daily.data.<resource>.deleted` tells of it. ' +
      "A user's own token deletes only what a phone or the person sends. " +
      'What is not there is no mistake: the same request again deletes nothing and tells nobody.',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'too_many_samples',
      'too_many_matches',
      'provider_not_deletable',
    ],
    handle: (ctx, { params: { user_id }, body }) => deletePushedSamples(ctx, user_id, body),
  }),
  ...SERIES.map((series) => grouped(series)),
  ...SERIES.flatMap((series) => {
    if (!series.ungrouped) return [];
    const kinds = series.keyedByType && Array.isArray(series.type) ? series.type : [];
    return [null, ...kinds].map((kind) => ungrouped(series, kind));
  }),
];

function grouped(series: Series): Endpoint {
  return endpoint({
    id: `get_${series.name}_grouped`,
    method: 'GET',
    path: `/v2/timeseries/{user_id}/${series.name}/grouped`,
    tag,
    params,
    query: GroupedQuery,
    response: shapesOf(series).page,
    summary: `Read ${series.what}`,
    description: `Samples by provider and source, the oldest first, at most ${pageOf(series).toLocaleString('en-US')} a page.`,
    ...(series.deprecated ? { deprecated: { since: SINCE, successor: '/v2/summary/sleep_cycle/{user_id}' } } : {}),
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { params: { user_id }, query }) => readGrouped(ctx, series, user_id, query),
  });
}

function ungrouped(series: Series, kind: string | null): Endpoint {
  const deprecated: Deprecation = { since: SINCE, successor: `/v2/timeseries/{user_id}/${series.name}/grouped` };
  return endpoint({
    id: kind === null ? `get_${series.name}` : `get_${series.name}_${kind}`,
    method: 'GET',
    path: `/v2/timeseries/{user_id}/${series.name}${kind === null ? '' : `/${kind}`}`,
    tag,
    params,
    query: UngroupedQuery,
    response: Type.Array(shapesOf(series).sample),
    summary: `Read ${kind === null ? series.what : kind} as one list`,
    description: 'Samples of all sources by time, at most 50,000.',
    deprecated,
    refusals: ['not_found', 'user_scheduled_for_deletion', 'too_many_samples'],
    handle: (ctx, { params: { user_id }, query }) => readUngrouped(ctx, { series, kind }, user_id, query),
  });
}
