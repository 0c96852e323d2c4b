import { afterAll, beforeAll, expect } from 'vitest';
import { startTestApp, type Team, type TestApp } from './test-app.ts';
import { webhookPath } from './factories.ts';

export type Webhook = {
  id: string;
  url: string;
  description: string;
  rate_limit: number | null;
  disabled: boolean;
  filter_types: string[] | null;
  v1a_enabled: boolean;
  created_at: string;
  updated_at: string;
  failing_since: string | null;
  former_secret_ends_at: string | null;
};
export type Problems = { detail: { type: string; loc: string[]; msg: string; input?: unknown }[]; code: string };

/** An address that receives nothing: a name that nobody has. */
export const ENDPOINT_URL = 'https://receiver.example.com/hooks';

/** A configured endpoint that receives nothing. */
async function makeWebhook(team: Team, body: object = {}): Promise<Webhook> {
  const response = await team.api<Webhook>('POST', webhookPath(team), { url: ENDPOINT_URL, ...body });
  expect(response.status).toBe(200);
  return response.body;
}

/** The problems of a refusal, as `type path`. */
export const problemPathsOf = (response: { body: Problems }): string[] =>
  response.body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`);

export type Webhooks = {
  app: TestApp;
  /** Operations on the endpoints of its team. */
  path: string;
  make: (body?: object) => Promise<Webhook>;
  /**
   * Moves the last change of an endpoint to the past, so that a change of updated_at shows, whatever the clock's
   * resolution is.
   */
  age: (id: string) => Promise<unknown>;
};

/** One service for all tests of a file. Its first team has the endpoints. */
export function withWebhooks(take: (webhooks: Webhooks) => void): void {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    take({
      app,
      path: webhookPath(app.team),
      make: (body) => makeWebhook(app.team, body),
      age: (id) =>
        app.db.updateTable('webhooks').set({ updated_at: '2026-01-01T00:00:00Z' }).where('id', '=', id).execute(),
    });
  });
  afterAll(() => app.close());
}
