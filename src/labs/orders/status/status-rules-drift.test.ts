// Nobody rewrites a migration after its release. So a change of the status table needs a new migration that replaces
// the rows. Then this test must read the new migration.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COLLECTION_METHODS, fullStatus } from './statuses.ts';
import type { OrderProgress } from './status-rules.ts';
import { next, start } from './status-rules.ts';

const MIGRATION = fileURLToPath(
  new URL('../../../../migrations/0143_draws_without_an_appointment.sql', import.meta.url),
);
const ROWS = /(?<=-- rows begin\n).*?(?=-- rows end\n)/s;

/** An order's state as `order_events` stores it: full status, leg, registration. */
function stored({ method, last, leg, registration }: OrderProgress): string[] {
  return last === null ? ['', '', ''] : [fullStatus(method, last), leg ?? '', registration];
}

function rulesFrom(first: OrderProgress): string[] {
  const rules: string[] = [];
  const seen = new Set<string>();
  const waiting = [first];
  for (const progress of waiting) {
    const key = JSON.stringify(progress);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const step of next(progress)) {
      const fields = [...stored(progress), ...stored(step.progress)];
      rules.push(`  (${fields.map((field) => `'${field}'`).join(', ')})`);
      waiting.push(step.progress);
    }
  }
  return rules;
}

test('the rules in the database are those of the table', async () => {
  const migration = await readFile(MIGRATION, 'utf8');
  expect(migration).toMatch(ROWS);
  const rules = COLLECTION_METHODS.flatMap((method) => rulesFrom(start(method)));
  const rows = `insert into order_status_rules values\n${rules.join(',\n')};\n`;
  await expect(migration.replace(ROWS, () => rows)).toMatchFileSnapshot(MIGRATION);
});
