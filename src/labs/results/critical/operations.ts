import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { Uuid } from '../../../wire/schema.ts';
import { acknowledgeCritical, signOffCritical } from './decide-critical.ts';
import { findCritical, listCritical } from './load-critical.ts';
import {
  AcknowledgeCriticalResult,
  CriticalResultEntry,
  CriticalResultPage,
  CriticalResultQuery,
  SignOffCriticalResult,
} from './schemas.ts';

const tag = 'results';
const params = Type.Object({ critical_result_id: Uuid });

export const criticalResultOperations = [
  operation({
    id: 'list_critical_results',
    method: 'GET',
    path: '/v3/critical_result',
    tag,
    query: CriticalResultQuery,
    response: CriticalResultPage,
    summary: 'List critical results, with who acknowledged them and signed them off',
    description:
      'Each critical result that was published as labtest.result.critical is an entry. A report that corrects a ' +
      'critical value to another critical value is a further entry. A person who is signed in sees the names of ' +
      'patients. A caller with a key sees them only if the team setting full_patient_details_in_webhooks is on. ' +
      '`GET /v3/order/{order_id}` shows them to every caller.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listCritical(ctx, query),
  }),
  operation({
    id: 'get_critical_result',
    method: 'GET',
    path: '/v3/critical_result/{critical_result_id}',
    tag,
    params,
    response: CriticalResultEntry,
    summary: 'Read a critical result',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { critical_result_id } }) => findCritical(ctx, critical_result_id),
  }),
  operation({
    id: 'acknowledge_critical_result',
    method: 'POST',
    path: '/v3/critical_result/{critical_result_id}/acknowledge',
    tag,
    params,
    body: AcknowledgeCriticalResult,
    response: CriticalResultEntry,
    summary: 'Acknowledge a critical result',
    description:
      'Stores who acknowledged it, and whom they told. A second acknowledgement changes nothing: the response has ' +
      'the first one.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'author_required', 'called_before_result'],
    handle: (ctx, { params: { critical_result_id }, body }) => acknowledgeCritical(ctx, critical_result_id, body),
  }),
  operation({
    id: 'sign_off_critical_result',
    method: 'POST',
    path: '/v3/critical_result/{critical_result_id}/sign_off',
    tag,
    params,
    body: SignOffCriticalResult,
    response: CriticalResultEntry,
    summary: 'Sign off a critical result that was acknowledged',
    description: 'A second sign-off changes nothing: the response has the first one.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'author_required', 'critical_result_not_acknowledged'],
    handle: (ctx, { params: { critical_result_id }, body }) => signOffCritical(ctx, critical_result_id, body),
  }),
];
