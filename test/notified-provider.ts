import { createHmac, randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { importConnection, makeUser } from './factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from './provider.ts';
import { startTestApp, type Answer, type Team, type TestApp } from './test-app.ts';

/** What the tests of a provider's notifications need. The user of each test has a connection without any requests. */
type NotifiedProvider = {
  provider: Provider;
  app: TestApp;
  team: Team;
  user_id: string;
  /** The provider's own id of the user. */
  owner: string;
  /** Sends a notification to our hook. `at` is the end of the address, with a slash. */
  notify: (raw: string, headers: Record<string, string>, at?: string) => Promise<Answer<{ received: boolean }>>;
  /** The summaries of a kind, from the local day `from`. */
  summaries: <T = Record<string, unknown>>(kind: string, from: string) => Promise<T[]>;
};

type Setting = {
  play: (request: DataRequest) => DataResponse | undefined;
  scopes?: string[];
  /** Prepares the stand-in before the service starts. */
  prepare?: (provider: Provider) => void;
  /** Set if the connection needs a refresh token that the stand-in accepts. */
  canRefresh?: boolean;
};

/** The token that proves to a service that a request comes from a provider with this slug. */
export const hookTokenFor = (slug: string): string =>
  createHmac('sha256', `secret-of-${slug}`).update('phial hooks').digest('hex');

/** Starts a stand-in and a service for the tests of a file, and connects a new user before each test. */
export function notifiedProvider(slug: string, { play, scopes, prepare, canRefresh }: Setting): NotifiedProvider {
  const given = {} as NotifiedProvider;
  beforeAll(async () => {
    given.provider = await startProvider();
    prepare?.(given.provider);
    given.app = await startTestApp(given.provider.env(slug));
  });
  afterAll(async () => {
    await given.app.close();
    await given.provider.close();
  });
  beforeEach(async () => {
    given.team = await given.app.makeTeam();
    given.user_id = (await makeUser(given.team)).user_id;
    given.owner = String(randomInt(1e9));
    given.provider.play(play);
    const refresh = canRefresh ? { refresh_token: given.provider.issueRefreshToken() } : {};
    const connection = { provider_id: given.owner, oauth_scopes: scopes ?? null, ...refresh };
    await importConnection(given.team, given.user_id, connection, slug);
    await given.app.runJobs();
    given.provider.asked.length = 0;
  });
  given.notify = (raw, headers, at = '') =>
    given.team.api('POST', `/v2/hooks/${slug}${at}`, undefined, { raw, headers, key: null });
  given.summaries = async <T>(kind: string, from: string) => {
    const path = `/v2/summary/${kind}/${given.user_id}?start_date=${from}`;
    return (await given.team.api<Record<string, T[]>>('GET', path)).body[kind] ?? [];
  };
  return given;
}
