import { afterEach, describe, expect, test } from 'vitest';
import { apiOf, startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { upload } from '../../test/exports.ts';
import { makeUser } from '../../test/factories.ts';
import { pngHead } from '../../test/images.ts';
import { sendReport } from '../../test/sent-reports.ts';
import { createTeam } from '../tenancy/teams/create.ts';
import { createTeamKey } from '../tenancy/keys/create-team-key.ts';
import { refuseWhereStorageIsFull } from './free-storage.ts';

let app: TestApp | undefined;
afterEach(() => app?.close());

const TEBIBYTE = 1024 ** 4;
const sent = async (team: Team) => {
  const { user_id } = await makeUser(team);
  const file = await upload(team, user_id, '<gpx/>');
  const report = await sendReport(team, user_id, [pngHead(5, 5)]);
  return [file, report].map(({ status, body, headers }) => [
    status,
    (body as { code?: string }).code,
    headers.get('retry-after'),
  ]);
};
const FULL = [503, 'storage_full', '60'];

describe('files are refused before storage runs out', () => {
  test('when the disk has less free space than the reserve', async () => {
    app = await startTestApp({ PHIAL_STORAGE_RESERVE_BYTES: String(TEBIBYTE) });
    expect(await sent(app.team)).toEqual([FULL, FULL]);
  });

  test("when the database has nearly reached the operator's limit", async () => {
    app = await startTestApp({ PHIAL_DATABASE_LIMIT_BYTES: '1024', PHIAL_STORAGE_RESERVE_BYTES: '1' });
    expect(await sent(app.team)).toEqual([FULL, FULL]);
    await expect(refuseWhereStorageIsFull(app.ctx)).rejects.toMatchObject({ code: 'storage_full' });
    const body = await (await fetch(`${app.baseUrl}/metrics`)).text();
    expect(body).toContain('phial_storage_free_bytes{of="database"} 0');
    expect(body).toMatch(/phial_storage_free_bytes{of="uploads"} [1-9]/);
  });
});

describe('an organisation has a quota in addition to those of its teams', () => {
  const second = async (of: TestApp): Promise<Team> => {
    const { id } = await createTeam(of.ctx, { org_id: of.team.org_id, name: 'Ocotillo' });
    const key = await createTeamKey(of.ctx, { team_id: id, label: 'second' });
    return { ...of.team, id, api_key: key.value, api: apiOf(of.baseUrl, key.value, of.team.management_key) };
  };
  const CODES = [
    [202, undefined],
    [403, 'limit_reached'],
    [202, undefined],
  ];

  test('for files that wait for an import', async () => {
    app = await startTestApp({ PHIAL_UPLOAD_QUOTA_BYTES_PER_ORG: '2048' });
    const teams = [app.team, await second(app), await app.makeTeam('Mesa Labs')];
    const codes = [];
    for (const team of teams) {
      const { user_id } = await makeUser(team);
      const { status, body } = await upload(team, user_id, `<gpx/>${' '.repeat(1_200)}`);
      codes.push([status, body.code]);
    }
    expect(codes).toEqual(CODES);
  });

  test('for stored lab reports', async () => {
    // A file that is being uploaded counts with its maximum size.
    app = await startTestApp({ PHIAL_LAB_REPORT_QUOTA_BYTES_PER_ORG: String(20 * 1024 * 1024 + 10) });
    const teams = [app.team, await second(app), await app.makeTeam('Mesa Labs')];
    const codes = [];
    for (const team of teams) {
      const { user_id } = await makeUser(team);
      const { status, body } = await sendReport(team, user_id, [pngHead(5, 5)]);
      codes.push([status, (body as { code?: string }).code]);
    }
    expect(codes.map(([, code]) => code)).toEqual([undefined, 'limit_reached', undefined]);
  });
});
