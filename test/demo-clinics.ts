import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { webhookPath } from './factories.ts';
import type { Answer, Team, TestApp } from './test-app.ts';

export type Clinic = {
  state: string;
  done: number;
  total: number;
  next: string | null;
  team_is_empty: boolean;
  started_at: string | null;
  ended_at: string | null;
  code: string;
};
export type Webhook = { id: string; url: string; description: string };

export const clinicPath = (team: Pick<Team, 'id' | 'org_id'>): string =>
  webhookPath(team).replace(/webhook$/, 'demo_clinic');

/** Requests the demo clinic of a team, or reads its progress, with the key of `team`. */
export const askForClinic = (team: Team, method: 'GET' | 'POST', of: Team = team): Promise<Answer<Clinic>> =>
  team.api<Clinic>(method, clinicPath(of));

export const endpointsOf = async (team: Team): Promise<Webhook[]> =>
  (await team.api<{ data: Webhook[] }>('GET', webhookPath(team))).body.data;

export const rowsOfTeam = async ({ db }: TestApp, team: Team, table: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from ${sql.table(table)} where team_id = ${team.id}`.execute(db);
  return rows[0]?.n ?? NaN;
};

/**
 * Listens at an address that a service can have as its own before it listens itself, so that it sends webhooks of the
 * demo clinic to itself. Forwards to the address that `serviceUrl` returns.
 */
export async function startFront(serviceUrl: () => string): Promise<{ url: string; close: () => void }> {
  const front = createServer((incoming, response) => {
    const { method, url, headers } = incoming;
    const forwarded = request(serviceUrl() + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, close: () => void front.close() };
}
