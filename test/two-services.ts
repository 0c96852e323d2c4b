import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestApp, type Team, type TestApp } from './test-app.ts';

type Services = { app: TestApp; elsewhere: TestApp; team: Team };

/** One service and another on the same database for all tests of a file. Each test gets a team. */
export function eachWithTwoServices(take: (services: Services) => void): void {
  let app: TestApp;
  let elsewhere: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    elsewhere = await startTestApp({}, { databaseUrl: app.databaseUrl });
  });
  afterAll(async () => {
    await elsewhere.close();
    await app.close();
  });
  beforeEach(async () => {
    take({ app, elsewhere, team: await app.makeTeam() });
  });
}
