import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser } from './factories.ts';
import { startProvider, type Provider } from './provider.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('oura'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** The way of the user's browser: to the provider's page, where the user agrees, and back. */
async function connect(oauthUrl: string): Promise<string | null> {
  const here = (url: string): string => app.baseUrl + new URL(url).pathname + new URL(url).search;
  const left = await fetch(here(oauthUrl), { redirect: 'manual' });
  const agreed = await fetch(left.headers.get('location') ?? '', { redirect: 'manual' });
  const cookie = left.headers.get('set-cookie')?.split(';')[0] ?? '';
  const back = await fetch(here(agreed.headers.get('location') ?? ''), { redirect: 'manual', headers: { cookie } });
  return back.headers.get('location');
}

test.skipIf(!curl)(
  `the commands of the guide to connecting work as it says${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const guide = readFileSync('docs/guides/connect-a-provider.md', 'utf8')
      // The reader's own values: the application that the provider knows.
      .replace('\\"client_id\\": \\"…', '\\"client_id\\": \\"client-of-oura')
      .replace('\\"client_secret\\": \\"…', '\\"client_secret\\": \\"secret-of-oura');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(
      ([, lines]) => `${lines?.replaceAll(/\n(?=curl)/g, '\necho\n')}\necho`,
    );
    const { user_id } = await makeUser(app.team);
    const env = {
      ...process.env,
      BASE_URL: app.baseUrl,
      TEAM_API_KEY: app.team.api_key,
      MANAGEMENT_KEY: app.team.management_key,
      ORG_ID: app.team.org_id,
      TEAM_ID: app.team.id,
      USER_ID: user_id,
    };
    const run = async (lines: string[]): Promise<unknown[]> => {
      const { stdout } = await promisify(execFile)('sh', ['-ec', lines.join('\n')], { env });
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown);
    };
    const [urls, prepared, credential, providers, source] = await run(commands.slice(0, 4));
    expect(urls).toEqual({ urls: ['https://app.example.com/connected'] });
    expect(prepared).toMatchObject({ preparation_steps: [{ type: 'redirect_uri' }] });
    expect(credential).toMatchObject({ client_id: 'client-of-oura', team_id: app.team.id });
    // The sandbox simulates all others.
    expect((providers as { slug: string; demo: boolean }[]).filter(({ demo }) => !demo)).toMatchObject([
      { slug: 'oura' },
    ]);
    expect(await connect((source as { oauth_url: string }).oauth_url)).toBe(
      'https://app.example.com/connected?state=success',
    );
    expect(await run(commands.slice(4))).toMatchObject([
      { success: true, detail: 'Connected to invented data of Fitbit: 30 days are being pulled.' },
      { providers: [expect.objectContaining({ slug: 'oura' }), expect.objectContaining({ slug: 'fitbit' })] },
      { success: true },
    ]);
    await app.runJobs();
    expect(provider.revoked).toHaveLength(1);
  },
);
