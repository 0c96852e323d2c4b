import { Type, type Static } from 'typebox';
import { decodeCursor, isId, takePage } from '../../../db/page.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { ofTeam, TEAM_PATH } from '../../../tenancy/places.ts';
import { Uuid } from '../../../wire/schema.ts';
import { acceptUnmatched } from './accept.ts';
import { findUnmatched, loadUnmatched } from './load.ts';
import { renderUnmatched } from './render.ts';
import { resolveUnmatched } from './resolve.ts';
import {
  AcceptUnmatchedResult,
  ResolveUnmatchedResult,
  UnmatchedResult,
  UnmatchedResultPage,
  UnmatchedResultQuery,
} from './schemas.ts';

const tag = 'repairs';
const auth = 'management_key';
const scope = 'team';
const path = `${TEAM_PATH}/unmatched_result`;
const params = Type.Object({ ...ofTeam.properties, raw_result_id: Uuid });

/** A management key sees of whom no report is: that takes the team's own key, or a token for it. */
const withoutPeople = (shown: Static<typeof UnmatchedResult>): Static<typeof UnmatchedResult> => ({
  ...shown,
  patient: null,
  note: null,
});

/** The same verbs as the team's own operations. */
export const managedUnmatchedEndpoints = [
  endpoint({
    id: 'list_managed_unmatched_results',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    params: ofTeam,
    query: UnmatchedResultQuery,
    response: UnmatchedResultPage,
    summary: 'List results of a team that belong to no order by their numbers',
    description: 'Without the patient and without notes. The newest first.',
    refusals: ['invalid_cursor'],
    handle: async (ctx, { query: { limit, next_cursor, ...filter } }) => {
      const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
      const found = await loadUnmatched(ctx, filter, { after, limit: limit + 1 });
      const { page, next_cursor: next } = takePage(found, limit, ({ id }) => id);
      return { data: page.map((each) => withoutPeople(renderUnmatched(each))), next_cursor: next };
    },
  }),
  endpoint({
    id: 'get_managed_unmatched_result',
    method: 'GET',
    path: `${path}/{raw_result_id}`,
    tag,
    auth,
    scope,
    params,
    response: UnmatchedResult,
    summary: 'Read a result of a team that belongs to no order by its numbers',
    description: 'Without the patient and without notes.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { raw_result_id } }) =>
      withoutPeople(renderUnmatched(await findUnmatched(ctx, raw_result_id))),
  }),
  endpoint({
    id: 'accept_managed_unmatched_result',
    method: 'POST',
    path: `${path}/{raw_result_id}/accept`,
    tag,
    auth,
    scope,
    params,
    body: AcceptUnmatchedResult,
    response: Type.Object({ order_id: { ...Uuid, description: 'The order that has it now.' } }),
    summary: 'Say which order of a team a result is of',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'unmatched_result_resolved',
      'unmatched_order_required',
      'order_takes_no_results',
    ],
    handle: async (ctx, { params: { raw_result_id }, body }) => ({
      order_id: (await acceptUnmatched(ctx, raw_result_id, body)).id,
    }),
  }),
  endpoint({
    id: 'resolve_managed_unmatched_result',
    method: 'POST',
    path: `${path}/{raw_result_id}/resolve`,
    tag,
    auth,
    scope,
    params,
    body: ResolveUnmatchedResult,
    response: UnmatchedResult,
    summary: 'Say that a result is of no order of a team, or that you cannot tell',
    description: 'reject discards it. unsure holds it for whoever runs the service.',
    refusals: ['not_found', 'unmatched_result_resolved'],
    handle: async (ctx, { params: { raw_result_id }, body }) =>
      withoutPeople(await resolveUnmatched(ctx, raw_result_id, body)),
  }),
];
