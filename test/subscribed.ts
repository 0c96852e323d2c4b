import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestApp, type Team, type TestApp } from './app.ts';
import { subscribe } from './factories.ts';
import { startReceiver, type Receiver } from './receiver.ts';

type Subscribed = { app: TestApp; team: Team; receiver: Receiver; webhook: string };

/** For all tests of a file one service and one receiver, which takes invented events; for each a team with an endpoint there. */
export function eachWithEndpoint(take: (subscribed: Subscribed) => void): void {
  let app: TestApp;
  let receiver: Receiver;
  beforeAll(async () => {
    app = await startTestApp();
    receiver = await startReceiver({ invented: true });
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });
  beforeEach(async () => {
    const team = await app.makeTeam();
    receiver.answer(null);
    take({ app, team, receiver, webhook: await subscribe(team, receiver) });
  });
}
