import { expect } from 'vitest';
import type { Team } from './app.ts';
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
};
export type Problems = { detail: { type: string; loc: string[]; msg: string; input?: unknown }[]; code: string };

/** Where nothing is sent to: a name that nobody has. */
export const ENDPOINT_URL = 'https://receiver.example.com/hooks';

/** An endpoint that is configured, and no more than that. */
export async function makeWebhook(team: Team, body: object = {}): Promise<Webhook> {
  const answer = await team.api<Webhook>('POST', webhookPath(team), { url: ENDPOINT_URL, ...body });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** What a refusal lists, as `type place`. */
export const placesOf = (answer: { body: Problems }): string[] =>
  answer.body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`);
