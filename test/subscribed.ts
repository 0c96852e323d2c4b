import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestApp, type Team, type TestApp } from './test-app.ts';
import { subscribe } from './factories.ts';
import { startEndpoint, type Endpoint } from './endpoint.ts';

type Subscribed = { app: TestApp; team: Team; endpoint: Endpoint; webhook: string };

/**
 * One service and one endpoint for all tests of a file. The endpoint accepts invented events. Each test gets a team
 * that uses it.
 */
export function eachWithEndpoint(take: (subscribed: Subscribed) => void): void {
  let app: TestApp;
  let endpoint: Endpoint;
  beforeAll(async () => {
    app = await startTestApp();
    endpoint = await startEndpoint({ invented: true });
  });
  afterAll(async () => {
    await app.close();
    await endpoint.close();
  });
  beforeEach(async () => {
    const team = await app.makeTeam();
    endpoint.answer(null);
    take({ app, team, endpoint, webhook: await subscribe(team, endpoint) });
  });
}
