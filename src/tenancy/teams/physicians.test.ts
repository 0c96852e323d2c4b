import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { newId } from '../../ids.ts';
import { addPhysician } from './physicians.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const ana = { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' };
const ben = { first_name: 'Ben', last_name: 'Abbott', npi: '1987654328' };

test('a team lists its physicians by name, one for each NPI, and no other team does', async () => {
  const [team, other] = [await app.makeTeam(), await app.makeTeam()];
  const list = (of: string) => team.api<unknown>('GET', `/v2/team/${of}/physicians`);
  expect((await list(team.id)).body).toEqual([]);
  for (const each of [ana, ben, { ...ana, last_name: 'Ruiz-Diaz' }]) await addPhysician(app.ctx, team.id, each);
  await addPhysician(app.ctx, other.id, ben);
  expect((await list(team.id)).body).toEqual([ben, { ...ana, last_name: 'Ruiz-Diaz' }]);
  expect((await list(team.id.toUpperCase())).status).toBe(200);
  expect((await list(other.id)).status).toBe(404);
  await expect(addPhysician(app.ctx, newId(), ana)).rejects.toMatchObject({ code: 'not_found' });
});
