import { expect, test } from 'vitest';
import type { TestApp } from '../../../test/test-app.ts';
import { withWebhooks, type Webhooks } from '../../../test/webhooks.ts';
import { newId } from '../../ids.ts';

let app: TestApp;
let path: string;
let make: Webhooks['make'];
withWebhooks((each) => ({ app, path, make } = each));

test('a deleted endpoint is gone with its secrets and its queue', async () => {
  const webhook = await make();
  await app.db
    .insertInto('deliveries')
    .values({ webhook_id: webhook.id, event_id: newId(), team_id: app.team.id })
    .execute();
  expect((await app.api('DELETE', `${path}/${webhook.id}`)).status).toBe(204);
  expect((await app.api('GET', `${path}/${webhook.id}`)).status).toBe(404);
  expect((await app.api('DELETE', `${path}/${webhook.id}`)).status).toBe(404);
  expect(await app.db.selectFrom('webhook_secrets').selectAll().where('webhook_id', '=', webhook.id).execute()).toEqual(
    [],
  );
  expect(await app.db.selectFrom('deliveries').selectAll().where('webhook_id', '=', webhook.id).execute()).toEqual([]);
});
