import { expect, test } from 'vitest';
import { checkResponse } from './check-response.ts';

const request_id = '0197a1b2-0000-7000-8000-000000000000';
const usual = { 'x-request-id': request_id, 'cache-control': 'no-store' };
const check =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    checkResponse('GET', '/v2/user', { status, headers: new Headers({ ...usual, ...headers }), body });

test.each<[string, () => void, RegExp]>([
  ['a body of another shape', check(200, { users: 1 }), /users|required/],
  ['another status', check(201, { users: [], total: 0, offset: 0, limit: 100, next_cursor: null }), /status 200/],
  ['an undeclared header', check(404, { detail: 'x', code: 'not_found', request_id }, { 'x-extra': '1' }), /x-extra/],
  ['a refusal without a code', check(404, { detail: 'x', request_id }), /no code/],
  ['a refusal that is not declared', check(409, { detail: 'x', code: 'already_done', request_id }), /does not declare/],
  ['a 422 without a list', check(422, { detail: 'x', code: 'validation_error', request_id }), /has the detail/],
])('%s is a problem of a response', (_what, run, problem) => {
  expect(run).toThrow(problem);
});
