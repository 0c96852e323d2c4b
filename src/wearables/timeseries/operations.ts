import { Type } from 'typebox';
import { operation, type Deprecation, type Operation } from '../../operation/operation.ts';
import { batch } from '../../operation/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { SERIES } from '../series.ts';
import type { Series } from '../series-type.ts';
import { deletePushedSamples } from './deletion/delete-pushed-samples.ts';
import { DELETION_VALUES, SampleDeletion } from './deletion/sample-deletion.ts';
import { pushSamples } from './push-samples.ts';
import { pageOf, readGrouped } from './read-grouped.ts';
import { readUngrouped } from './read-ungrouped.ts';
import { SampleInput, VALUES_EACH } from './sample-input.ts';
import { DeletedSamples, GroupedQuery, shapesOf, StoredSamples, UngroupedQuery } from './schemas.ts';

const tag = 'timeseries';
const params = Type.Object({ user_id: Uuid });

const MAX_SAMPLES = 5_000;
const MAX_DELETIONS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Since when the operations without groups are deprecated. */
const SINCE = '2024-10-01';

export const timeseriesOperations: Operation[] = [
  operation({
    id: 'push_samples',
    method: 'POST',
    path: '/v2/timeseries/{user_id}/samples',
    tag,
    auth: 'team_key_or_user_token',
    params,
    body: batch(SampleInput, { items: MAX_SAMPLES, valuesEach: VALUES_EACH, bytes: MAX_BYTES }),
    response: StoredSamples,
    summary: 'Push samples of a user',
    description:
      'At most 5,000 samples of any series, as a JSON list or NDJSON, optionally compressed with gzip. All of them ' +
      'are stored, or none. Series, provider, kind of device and time identify a sample. A sample that is sent again ' +
      'with another value replaces the first one. A sample that is sent again unchanged changes nothing. Values in ' +
      "other units are converted into the unit of the series. A user's own token can push only what a phone or the " +
      'person sends.',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'sample_of_other_user',
      'limit_reached',
      'provider_not_pushable',
    ],
    handle: (ctx, { params: { user_id }, body }) => pushSamples(ctx, user_id, body),
  }),
  operation({
    id: 'delete_samples',
    method: 'DELETE',
    path: '/v2/timeseries/{user_id}/samples',
    tag,
    auth: 'team_key_or_user_token',
    params,
    body: batch(SampleDeletion, { items: MAX_DELETIONS, valuesEach: DELETION_VALUES, bytes: MAX_BYTES }),
    response: DeletedSamples,
    summary: 'Delete samples of a user',
    description:
      'Deletes samples that their source has deleted. Each deletion names samples by the `record_id` that they were ' +
      'pushed with, by their time, or by an interval of a source. The body is a JSON list or NDJSON, optionally ' +
      'compressed with gzip. All of it is deleted, or nothing, and at most 20,000 samples. ' +
      "`daily.data.<resource>.deleted` reports what was deleted. A user's own token can delete only what a phone or " +
      'the person sends. Samples that do not exist are ignored: the same request again deletes nothing and publishes ' +
      'nothing.',
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

function grouped(series: Series): Operation {
  return operation({
    id: `get_${series.name}_grouped`,
    method: 'GET',
    path: `/v2/timeseries/{user_id}/${series.name}/grouped`,
    tag,
    params,
    query: GroupedQuery,
    response: shapesOf(series).page,
    summary: `Read ${series.what}`,
    description:
      'Samples grouped by provider and source, the oldest first, ' +
      `at most ${pageOf(series).toLocaleString('en-US')} a page.`,
    ...(series.deprecated ? { deprecated: { since: SINCE, successor: '/v2/summary/sleep_cycle/{user_id}' } } : {}),
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { params: { user_id }, query }) => readGrouped(ctx, series, user_id, query),
  });
}

function ungrouped(series: Series, kind: string | null): Operation {
  const deprecated: Deprecation = { since: SINCE, successor: `/v2/timeseries/{user_id}/${series.name}/grouped` };
  return operation({
    id: kind === null ? `get_${series.name}` : `get_${series.name}_${kind}`,
    method: 'GET',
    path: `/v2/timeseries/{user_id}/${series.name}${kind === null ? '' : `/${kind}`}`,
    tag,
    params,
    query: UngroupedQuery,
    response: Type.Array(shapesOf(series).sample),
    summary: `Read ${kind === null ? series.what : kind} as one list`,
    description: 'Samples of all sources in the order of time, at most 50,000.',
    deprecated,
    refusals: ['not_found', 'user_scheduled_for_deletion', 'too_many_samples'],
    handle: (ctx, { params: { user_id }, query }) => readUngrouped(ctx, { series, kind }, user_id, query),
  });
}
