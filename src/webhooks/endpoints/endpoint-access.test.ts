import { beforeAll, describe, expect, test } from 'vitest';
import type { Team, TestApp } from '../../../test/test-app.ts';
import { webhookPath } from '../../../test/factories.ts';
import {
  ENDPOINT_URL,
  problemPathsOf,
  withWebhooks,
  type Problems,
  type Webhook,
  type Webhooks,
} from '../../../test/webhooks.ts';
import { newId } from '../../ids.ts';
import { createManagementKey } from '../../tenancy/keys/create-management-key.ts';
import { createTeam } from '../../tenancy/teams/create.ts';

let app: TestApp;
let path: string;
let make: Webhooks['make'];
let other: Team;
withWebhooks((each) => ({ app, path, make } = each));
beforeAll(async () => {
  other = await app.makeTeam('Mesa Labs');
});

describe('access to endpoints', () => {
  /** Every operation on the webhook `id` under the path `at`. */
  const operations = (at: string, id: string): [method: string, path: string, body?: object][] => [
    ['GET', at],
    ['POST', at, { url: ENDPOINT_URL }],
    ['GET', `${at}/${id}`],
    ['PATCH', `${at}/${id}`, { description: 'mine' }],
    ['GET', `${at}/${id}/headers`],
    ['PUT', `${at}/${id}/headers`, { headers: { 'x-a': 'b' } }],
    ['GET', `${at}/${id}/secret`],
    ['POST', `${at}/${id}/secret/rotate`, {}],
    ['GET', `${at}/${id}/public_key`],
    ['POST', `${at}/${id}/public_key/rotate`, {}],
    ['DELETE', `${at}/${id}`],
  ];

  test('a team of another organisation is not found, under the path of either organisation', async () => {
    const { id } = await make();
    for (const org_id of [app.team.org_id, other.org_id]) {
      for (const [method, at, body] of operations(webhookPath({ id: app.team.id, org_id }), id)) {
        const response = await other.api<{ code: string }>(method, at, body);
        expect([method, at, response.status, response.body.code]).toEqual([method, at, 404, 'not_found']);
      }
    }
    expect((await app.api<Webhook>('GET', `${path}/${id}`)).body.description).toBe('');
  });

  test('an endpoint of another team of the same organisation is not found under the path of the first', async () => {
    const { id } = await make();
    const sibling = await createTeam(app.ctx, { org_id: app.team.org_id, name: 'Sibling' });
    const under = webhookPath({ id: sibling.id, org_id: app.team.org_id });
    for (const [method, at, body] of operations(under, id).filter(([, at]) => at.includes(id))) {
      const response = await app.api<{ code: string }>(method, at, body);
      expect([method, at, response.status, response.body.code]).toEqual([method, at, 404, 'not_found']);
    }
    expect((await app.api<{ data: Webhook[] }>('GET', under)).body.data).toEqual([]);
  });

  test('a Team Management Key has access to its own teams only', async () => {
    const { id } = await make();
    const sibling = await createTeam(app.ctx, { org_id: app.team.org_id, name: 'Sibling' });
    const { value: key } = await createManagementKey(app.ctx, {
      org_id: app.team.org_id,
      label: 'bound',
      role: 'team_admin',
      team_ids: [sibling.id],
    });
    for (const [method, at, body] of operations(path, id)) {
      const response = await app.api<{ code: string }>(method, at, body, { key });
      expect([method, at, response.status, response.body.code]).toEqual([method, at, 403, 'insufficient_scope']);
    }
    const own = webhookPath({ id: sibling.id, org_id: app.team.org_id });
    expect((await app.api('POST', own, { url: ENDPOINT_URL }, { key })).status).toBe(200);
  });

  test('another environment is refused, and an unknown one too', async () => {
    const at = (environment: string) => `/v1/org/${app.team.org_id}/team/${app.team.id}/${environment}/webhook`;
    const elsewhere = await app.api<{ code: string; detail: string }>('GET', at('production'));
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'wrong_deployment']);
    expect(elsewhere.body.detail).toMatch(/production us.*sandbox us/);
    const unknown = await app.api<Problems>('GET', at('staging'));
    expect([unknown.status, ...problemPathsOf(unknown)]).toEqual([422, 'enum path.environment']);
  });

  test('every malformed part of a request is listed', async () => {
    const response = await app.api<Problems>('PATCH', `/v1/org/${app.team.org_id}/team/x/staging/webhook/y`, {
      rate_limit: -1,
    });
    expect([response.status, ...problemPathsOf(response).toSorted()]).toEqual([
      422,
      'enum path.environment',
      'greater_than_equal body.rate_limit',
      'uuid_parsing path.team_id',
      'uuid_parsing path.webhook_id',
    ]);
  });

  test('an endpoint that does not exist is not found', async () => {
    for (const [method, at, body] of operations(path, newId()).slice(2)) {
      expect([method, at, (await app.api(method, at, body)).status]).toEqual([method, at, 404]);
    }
  });
});
