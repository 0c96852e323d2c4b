import { Type, type Static } from 'typebox';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { operation } from '../../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../../tenancy/team-paths.ts';
import { Uuid } from '../../../wire/schema.ts';
import { acceptUnmatched } from './accept-unmatched.ts';
import { findUnmatched, loadUnmatched } from './load-unmatched.ts';
import { renderUnmatched } from './render.ts';
import { resolveUnmatched } from './resolve-unmatched.ts';
import {
  AcceptManagedUnmatchedResult,
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

/**
 * Removes the personal data of a report, because a management key must not open them. To read them, the caller needs an
 * API key of the team, or an access token for the team.
 */
const withoutPeople = (shown: Static<typeof UnmatchedResult>): Static<typeof UnmatchedResult> => ({
  ...shown,
  patient: null,
  sample_ids: [],
  collected_at: null,
  markers: shown.markers.map(({ provider_id, name }) => ({
    provider_id,
    name,
    result: null,
    unit: null,
    reference_range: null,
  })),
  note: null,
});

/** Operations for a management key. They call the same service functions as the operations for the team's own key. */
export const managedUnmatchedOperations = [
  operation({
    id: 'list_managed_unmatched_results',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    params: ofTeam,
    query: UnmatchedResultQuery,
    response: UnmatchedResultPage,
    summary: 'List results of a team whose numbers belong to no order',
    description: 'Without the patient, samples, values and notes. The newest first.',
    refusals: ['invalid_cursor'],
    handle: async (ctx, { query: { limit, next_cursor, ...filter } }) => {
      const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
      const found = await loadUnmatched(ctx, filter, { after, limit: limit + 1 });
      const { page, next_cursor: next } = takePage(found, limit, ({ id }) => id);
      return { data: page.map((each) => withoutPeople(renderUnmatched(each))), next_cursor: next };
    },
  }),
  operation({
    id: 'get_managed_unmatched_result',
    method: 'GET',
    path: `${path}/{raw_result_id}`,
    tag,
    auth,
    scope,
    params,
    response: UnmatchedResult,
    summary: 'Read a result of a team whose numbers belong to no order',
    description: 'Without the patient, samples, values and notes.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { raw_result_id } }) =>
      withoutPeople(renderUnmatched(await findUnmatched(ctx, raw_result_id))),
  }),
  operation({
    id: 'accept_managed_unmatched_result',
    method: 'POST',
    path: `${path}/{raw_result_id}/accept`,
    tag,
    auth,
    scope,
    params,
    body: AcceptManagedUnmatchedResult,
    response: Type.Object({ order_id: { ...Uuid, description: 'The order that has the result now.' } }),
    summary: 'Decide to which order of a team a result belongs',
    description:
      'A report that names another patient than the order is refused with 400 report_of_other_patient, and one whose ' +
      'sample was collected more than a day before the order with 400 collected_before_order. With confirm_patient ' +
      'and a note it is accepted.',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'unmatched_result_resolved',
      'unmatched_order_required',
      'order_takes_no_results',
      'report_of_other_patient',
      'collected_before_order',
    ],
    handle: async (ctx, { params: { raw_result_id }, body }) => ({
      order_id: (await acceptUnmatched(ctx, raw_result_id, body)).id,
    }),
  }),
  operation({
    id: 'resolve_managed_unmatched_result',
    method: 'POST',
    path: `${path}/{raw_result_id}/resolve`,
    tag,
    auth,
    scope,
    params,
    body: ResolveUnmatchedResult,
    response: UnmatchedResult,
    summary: 'Decide that a result belongs to no order of a team, or leave the decision to the operator',
    description: 'reject discards it. unsure leaves it to the operator of the service.',
    refusals: ['not_found', 'unmatched_result_resolved'],
    handle: async (ctx, { params: { raw_result_id }, body }) =>
      withoutPeople(await resolveUnmatched(ctx, raw_result_id, body)),
  }),
];
