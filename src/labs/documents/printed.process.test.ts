import { afterEach, expect, test } from 'vitest';
import { physician, registeredKit } from '../../../test/factories.ts';
import { textOf } from '../../../test/pdf.ts';
import { endPrograms, makeDatabase, readCredentials, serve, teamAt } from '../../../test/program.ts';

afterEach(endPrograms);

test('the built program finds its fonts: a requisition has letters of both', async () => {
  const program = await serve({ env: { DATABASE_URL: await makeDatabase() } });
  const order = await registeredKit(teamAt(program), { physician: { ...physician, last_name: 'Łukasz 李明' } });
  const response = await fetch(`${program.baseUrl}/v3/order/${order.id}/requisition/pdf`, {
    headers: { 'x-service-api-key': readCredentials(program.dataDir).team_api_key },
  });
  const text = (await textOf({ bytes: new Uint8Array(await response.arrayBuffer()) })).join(' ').replaceAll(' ', '');
  expect([response.status, text.includes('Łukasz李明'), text.includes('Palmer,Grace')]).toEqual([200, true, true]);
});
