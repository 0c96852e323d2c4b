import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { NumericId, Text, Uuid } from '../../wire/schema.ts';
import { loadLabTest } from './find.ts';
import { listLabs } from './labs.ts';
import { listLabTests, pageLabTests } from './list.ts';
import { LabAccountQuery, LabAccounts } from './lab-accounts/schemas.ts';
import { listLabAccounts } from './lab-accounts/find.ts';
import { findMarker, listMarkers, listMarkersOf } from './markers.ts';
import { listOrderSetMarkers } from './order-sets/list-markers.ts';
import { OrderSetInput, OrderSetMarkersQuery } from './order-sets/schemas.ts';
import { createLabTest } from './own-tests/create.ts';
import { patchLabTest } from './own-tests/patch.ts';
import { LabTestInput, LabTestPatch } from './own-tests/schemas.ts';
import {
  Lab,
  LabTest,
  LabTestPage,
  LabTestPageQuery,
  LabTestQuery,
  Marker,
  MarkerPage,
  MarkerQuery,
  MarkersOfTestQuery,
} from './schemas.ts';

const tag = 'lab_tests';
const params = Type.Object({ lab_test_id: Uuid });
const lab_account_id = Type.Optional(
  Type.String({ format: 'uuid', description: 'One of your accounts; it must be at the same laboratory.' }),
);

export const labTestOperations = [
  operation({
    id: 'page_lab_tests',
    method: 'GET',
    path: '/v3/lab_test',
    tag,
    query: LabTestPageQuery,
    response: LabTestPage,
    summary: 'List lab tests',
    description:
      'Returns one page: send next_cursor back until it is null. Lab tests that are added meanwhile neither repeat ' +
      'nor hide others. Every given filter must match.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query: { lab_test_limit, next_cursor, ...filter } }) =>
      pageLabTests(ctx, filter, { limit: lab_test_limit, cursor: next_cursor }),
  }),
  operation({
    id: 'list_lab_tests',
    method: 'GET',
    path: '/v3/lab_tests',
    tag,
    response: Type.Array(LabTest),
    summary: 'List all lab tests at once',
    description: 'If more than 300 match, it returns 400 too_many_matches and none of them.',
    refusals: ['too_many_matches'],
    deprecated: { since: '2025-06-01', successor: '/v3/lab_test' },
    query: LabTestQuery,
    handle: (ctx, { query }) => listLabTests(ctx, query),
  }),
  operation({
    id: 'create_lab_test',
    method: 'POST',
    path: '/v3/lab_tests',
    tag,
    body: LabTestInput,
    response: LabTest,
    summary: 'Create a lab test of your own',
    description:
      'All markers must be of one laboratory. The lab test is pending_approval and cannot be ordered until the ' +
      'operator of the service approves it; a sandbox approves it at once. Its price is the sum of the prices of ' +
      'its markers.',
    refusals: [
      'not_found',
      'no_markers',
      'duplicate_markers',
      'mixed_laboratories',
      'order_set_ambiguous',
      'lab_account_of_other_lab',
      'collection_method_not_offered',
      'limit_reached',
    ],
    handle: (ctx, { body }) => createLabTest(ctx, body),
  }),
  operation({
    id: 'patch_lab_test',
    method: 'PATCH',
    path: '/v3/lab_tests/{lab_test_id}',
    tag,
    params,
    body: LabTestPatch,
    response: LabTest,
    summary: 'Rename or deactivate a lab test',
    description:
      'An inactive lab test cannot be ordered. Orders of it that are under way continue, and show its current ' +
      'name. With active: true an approved lab test becomes active again, and any other becomes pending_approval.',
    refusals: ['not_found'],
    handle: (ctx, { params: { lab_test_id }, body }) => patchLabTest(ctx, lab_test_id, body),
  }),
  operation({
    id: 'list_labs',
    method: 'GET',
    path: '/v3/lab_tests/labs',
    tag,
    response: Type.Array(Lab),
    summary: 'List the laboratories',
    handle: (ctx) => listLabs(ctx),
  }),
  operation({
    id: 'list_markers',
    method: 'GET',
    path: '/v3/lab_tests/markers',
    tag,
    query: MarkerQuery,
    response: MarkerPage,
    summary: 'List markers',
    refusals: ['not_found'],
    description:
      'The markers that laboratories offer, with the results of each. Every given filter must match. With ' +
      'include_pricing the response contains the prices of the page.',
    handle: (ctx, { query: { page, size, include_pricing, ...filter } }) =>
      listMarkers(ctx, { ...filter, page, size, include_pricing }),
  }),
  operation({
    id: 'list_order_set_markers',
    method: 'POST',
    path: '/v3/lab_tests/list_order_set_markers',
    tag,
    readsOnly: true,
    query: OrderSetMarkersQuery,
    body: OrderSetInput,
    response: MarkerPage,
    summary: 'List the markers of an order set',
    description:
      'The markers that an order of this set would ask its laboratory for, each once with its results; markers of ' +
      'the lab tests come first. This orders nothing. It refuses a set for the same reasons as an order does.',
    refusals: [
      'not_found',
      'lab_test_not_orderable',
      'marker_not_orderable',
      'no_markers',
      'mixed_laboratories',
      'mixed_collection_methods',
      'order_set_ambiguous',
      'lab_account_of_other_lab',
      'lab_account_not_active',
    ],
    handle: (ctx, { body, query: { page, size } }) => listOrderSetMarkers(ctx, body, { page, size }),
  }),
  operation({
    id: 'get_lab_test',
    method: 'GET',
    path: '/v3/lab_tests/{lab_test_id}',
    tag,
    params,
    response: LabTest,
    summary: 'Read a lab test',
    query: Type.Object({ lab_account_id }),
    refusals: ['not_found', 'lab_account_of_other_lab'],
    handle: (ctx, { params, query }) => loadLabTest(ctx, params.lab_test_id, query.lab_account_id),
  }),
  operation({
    id: 'list_markers_of_lab_test',
    method: 'GET',
    path: '/v3/lab_tests/{lab_test_id}/markers',
    tag,
    params,
    query: MarkersOfTestQuery,
    response: MarkerPage,
    summary: 'List the markers of a lab test',
    refusals: ['not_found', 'lab_account_of_other_lab'],
    handle: (ctx, { params: { lab_test_id }, query: { page, size, lab_account_id } }) =>
      listMarkersOf(ctx, lab_test_id, { page, size, lab_account_id }),
  }),
  operation({
    id: 'get_marker',
    method: 'GET',
    path: '/v3/lab_tests/{lab_id}/markers/{provider_id}',
    tag,
    response: Marker,
    summary: "Read a marker by the laboratory's order code",
    params: Type.Object({ lab_id: NumericId, provider_id: Text(200) }),
    query: Type.Object({ lab_account_id }),
    refusals: ['not_found', 'lab_account_of_other_lab'],
    handle: (ctx, { params: { lab_id, provider_id }, query }) => findMarker(ctx, lab_id, provider_id, query),
  }),
  operation({
    id: 'list_lab_accounts',
    method: 'GET',
    path: '/v3/lab_test/lab_account',
    tag,
    query: LabAccountQuery,
    response: LabAccounts,
    summary: 'List lab accounts',
    description:
      'The accounts at laboratories that your orders may use: those of your organisation that are open to your ' +
      'team, and those that are open to everybody, as in a sandbox. The operator of the service adds them.',
    handle: async (ctx, { query }) => ({ data: await listLabAccounts(ctx, query) }),
  }),
];
