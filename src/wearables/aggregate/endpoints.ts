import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { asksFor, orFile } from '../../http/media.ts';
import { Uuid } from '../../wire/schema.ts';
import { PARQUET_ARCHIVE, toArchive } from './parquet/archive.ts';
import { planOf } from './read-query.ts';
import { runQueries } from './run-queries.ts';
import { AggregationResponse, QueryBatch } from './schemas.ts';

export const aggregateEndpoints: Endpoint[] = [
  endpoint({
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
      'Groups by the local calendar, where a sample was taken or else of the zone of the user; an hour that comes twice ' +
      'in autumn is two groups, whose keys bear their offset also where only one of them is there. ' +
      'Where several sources tell of the same, the best one counts, unless the query groups by source: the first of ' +
      "provider_priority_overrides, then of the team's order of providers, then the kind of device that measures best, then " +
      'of apps and devices of one kind the first by name. ' +
      'Of what adds up, as steps, a better source replaces what others measured at the same time, to the second, and all of ' +
      'the rest counts. Workouts and sleeps are the same where they overlap by half of the shorter, meals where time and name ' +
      'agree; measurements of the body are all counted but for copies of the same minute. Of samples that do not add up, the ' +
      'best source of each hour counts, or of fewer minutes where the query groups by these. Of activities the best source of ' +
      'each day counts, and others fill in what it does not tell. Columns of an answer are called group_key.0, mean.heartrate.value or sum.activity.steps, and ' +
      'sleep.score where rows are listed. What a query does not know is 422 with its place. A table has at most 10,000 rows, ' +
      'and all tables of an answer have at most 50,000 values ' +
      'together, those of group keys among them, and 4 MiB of texts: more is 400. ' +
      `With the header Accept: ${PARQUET_ARCHIVE} the answer is an archive (tar, gzip) of one Parquet file a query: 0.parquet and so on.`,
    refusals: ['not_found', 'user_scheduled_for_deletion', 'too_many_matches'],
    handle: async (ctx, { params: { user_id }, body, headers }) => {
      const answer = await runQueries(ctx, user_id, body);
      return asksFor(headers['accept'] ?? null, PARQUET_ARCHIVE)
        ? toArchive(body.queries.map(planOf), answer.results)
        : answer;
    },
  }),
];
