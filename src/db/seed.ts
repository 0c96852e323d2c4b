import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

/**
 * Runs each SQL file of `directory` once, in a separate transaction. A sandbox gets its laboratories and payors in this
 * way. Migrations never insert invented data.
 */
export async function seed(options: { ownerUrl: string; directory: string }): Promise<string[]> {
  const files = (await readdir(options.directory)).filter((file) => file.endsWith('.sql')).sort();
  const client = new pg.Client({ connectionString: options.ownerUrl, application_name: 'phial seed' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select name from seeds');
    const fresh: string[] = [];
    for (const file of files.filter((name) => !rows.some((row) => row.name === name))) {
      if (await apply(client, file, await readFile(`${options.directory}/${file}`, 'utf8'))) fresh.push(file);
    }
    return fresh;
  } finally {
    await client.end();
  }
}

/**
 * Runs a file unless it ran before. It inserts the file's row first. If two processes start at the same moment, the
 * second one waits for this row, and then finds that the file has run.
 */
async function apply(client: pg.Client, name: string, sql: string): Promise<boolean> {
  await client.query('begin');
  try {
    const { rowCount } = await client.query('insert into seeds (name) values ($1) on conflict do nothing', [name]);
    if (rowCount === 1) await client.query(sql);
    await client.query('commit');
    return rowCount === 1;
  } catch (error) {
    await client.query('rollback');
    throw new Error(`The seed ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}
