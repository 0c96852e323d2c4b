// Shared by tests of summaries: a team with a user, an endpoint, and the operations by the kind of summary.
import { expect } from 'vitest';
import type { Answer, Team, TestApp } from './test-app.ts';
import { makeUser, pushSummaries, subscribe, webhookPath, type PushedSummaries } from './factories.ts';
import { startEndpoint } from './endpoint.ts';

export type Summary = Record<string, unknown> & { id: string };

export type Person = {
  team: Team;
  userId: string;
  /** Sends items of a kind, and expects success. */
  push: (path: string, ...items: object[]) => Promise<PushedSummaries>;
  /** Sends items of a kind, whatever the answer is. */
  tryToPush: (path: string, ...items: object[]) => Promise<Answer<{ code: string }>>;
  /** Reads a kind over January 2026, or with the given query. */
  read: (path: string, query?: string) => Promise<Summary[]>;
  /** The events at the endpoint since the last call, as type and data. */
  takeEvents: () => Promise<[type: string, data: Summary][]>;
  close: () => Promise<void>;
};

/** A user of a new team, with an endpoint for all events about the user. */
export async function makePerson(app: TestApp, changes?: object): Promise<Person> {
  const team = await app.makeTeam();
  const endpoint = await startEndpoint();
  const webhookId = await subscribe(team, endpoint);
  const { user_id: userId } = await makeUser(team);
  if (changes) await team.api('PATCH', `/v2/user/${userId}`, changes);
  return {
    team,
    userId,
    push: async (path, ...items) => {
      const { status, body } = await pushSummaries(team, userId, path, items);
      expect([status, body]).toEqual([200, expect.anything()]);
      return body;
    },
    tryToPush: (path, ...items) => team.api('POST', `/v2/summary/${path}/${userId}`, items),
    read: async (path, query = 'start_date=2026-01-01&end_date=2026-01-31') => {
      const { body } = await team.api<Record<string, Summary[]>>('GET', `/v2/summary/${path}/${userId}?${query}`);
      return Object.values(body)[0] as Summary[];
    },
    takeEvents: async () => {
      await app.deliver();
      return endpoint.received.splice(0).map(({ body }) => [body.event_type, body.data as Summary]);
    },
    close: async () => {
      // Otherwise a later test of the file would try to deliver the events that this one left.
      await team.api('DELETE', `${webhookPath(team)}/${webhookId}`);
      await endpoint.close();
    },
  };
}
