import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

/**
 * Gives a database the rows that the files of `directory` make, each file once and in a transaction of its own.
 * A sandbox gets its laboratories and payors so; nothing invented is ever part of a migration.
 */
export async function seed(options: { ownerUrl: string; directory: string }): Promise<string[]> {
  const files = (await readdir(options.directory)).filter((file) => file.endsWith('.sql')).sort();
  const client = new pg.Client({ connectionString: options.ownerUrl, application_name: 'phial seed' });
  client.on('error', () => undefined); // a lost connection fails the query that is under way
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

/** The row goes in first: of two processes that start at the same moment, the second waits for it and has nothing to do. */
async function apply(client: pg.Client, name: string, sql: string): Promise<boolean> {
  await client.query('begin');
  try {
    const { rowCount } = await client.query('insert into seeds (name) values ($1) on conflict do nothing', [name]);
    if (rowCount === 1) await client.query(sql);
    await client.query('commit');
    return rowCount === 1;
  } catch (error) {
    await client.query('rollback');
    throw new Error(`The seed ${name} could not be planted: ${(error as Error).message}`, { cause: error });
  }
}
