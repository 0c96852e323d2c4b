import { Type } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { asksFor, orFile } from '../../operation/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { PARQUET_ARCHIVE, toArchive } from './parquet/parquet-archive.ts';
import { planOf } from './read-query.ts';
import { runQueries } from './run-queries.ts';
import { AggregationResponse, QueryBatch } from './schemas.ts';

export const aggregateOperations: Operation[] = [
  operation({
    id: 'query_user',
    method: 'POST',
    path: '/aggregate/v1/user/{user_id}/query',
    tag: 'aggregate',
    readsOnly: true,
    params: Type.Object({ user_id: Uuid }),
    body: QueryBatch,
    headers: ['accept'],
    response: orFile(AggregationResponse, PARQUET_ARCHIVE),
    summary: "Compute over a user's data",
    description:
      'Groups by the local calendar: by the offset of a sample, or else by the time zone of the user. An hour that ' +
      'clocks show twice in autumn is two groups. Their keys have their offset even if the response has only one of ' +
      'them. If several sources report the same, the best one counts, unless the query groups by source. The best ' +
      "source is the first of provider_priority_overrides, then the first in the team's order of providers, then the " +
      'kind of device that measures best, then the first app and device by name. For series that add up, as steps, a ' +
      'better source replaces what others measured at the same time, to the millisecond, and all of the rest counts. ' +
      'Two workouts or sleeps are the same if they overlap by half of the shorter one, two meals if their time and ' +
      'name agree. All body measurements count, except copies of the same minute. For samples that do not add up, ' +
      'the best source of each hour counts, or of fewer minutes if the groups are shorter. For activities, the best ' +
      'source of each day counts, and others fill in what it does not report. Columns of a response are called ' +
      'group_key.0, mean.heartrate.value or sum.activity.steps, and sleep.score if rows are listed. An unknown word ' +
      'or key in a query is 422 with its location. A table has at most 10,000 rows. All tables of a response have at ' +
      'most 50,000 values together, including group keys, and 4 MiB of texts. More is 400. With the header Accept: ' +
      `${PARQUET_ARCHIVE} the response is an archive (tar, gzip) of one Parquet file for each query, named 0.parquet ` +
      'and so on.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, body, headers }) => {
      const answer = await runQueries(ctx, user_id, body);
      return asksFor(headers['accept'] ?? null, PARQUET_ARCHIVE)
        ? toArchive(body.queries.map(planOf), answer.results)
        : answer;
    },
  }),
];
