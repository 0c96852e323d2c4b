import pg from 'pg';

export type PublicTable = {
  name: string;
  /** The columns without generated ones, because nobody can write to those. */
  columns: string[];
  /** The columns of the primary key. Empty if the table has none. */
  key: string[];
  /** The UTC days that have a partition, in order. Empty if the table is not partitioned by day. */
  days: string[];
};

/** Returns `public."name"`, quoted for a statement. */
export const inPublic = (name: string): string => `public.${pg.escapeIdentifier(name)}`;

/**
 * Returns the tables of schema public by name, from PostgreSQL's catalogue. A partitioned table is listed instead of
 * its partitions. Tables of extensions are not listed.
 */
export async function findPublicTables(client: pg.Client): Promise<PublicTable[]> {
  const { rows } = await client.query<PublicTable>(`
    select c.relname::text as name,
           array(select attname::text from pg_attribute
                  where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
                  order by attnum) as columns,
           array(select a.attname::text
                   from pg_index i cross join unnest(i.indkey::int2[]) with ordinality as of_key (attnum, position)
                   join pg_attribute a on a.attrelid = c.oid and a.attnum = of_key.attnum
                  where i.indrelid = c.oid and i.indisprimary order by of_key.position) as key,
           array(select to_date(right(part.relname, 8), 'YYYYMMDD')::text
                   from pg_inherits join pg_class part on part.oid = inhrelid
                  where inhparent = c.oid and part.relname ~ '_\\d{8}$' order by 1) as days
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
     order by c.relname`);
  return rows;
}

/** Sorts the names, so that each table comes after the tables that its foreign keys reference. */
export async function inReferenceOrder(client: pg.Client, names: string[]): Promise<string[]> {
  const { rows } = await client.query<{ child: string; parent: string }>(`
    select distinct child.relname::text as child, parent.relname::text as parent
      from pg_constraint join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid
     where contype = 'f' and child.relnamespace = 'public'::regnamespace and conrelid <> confrelid`);
  const waiting = new Set(names);
  const ordered: string[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter((name) => !rows.some((row) => row.child === name && waiting.has(row.parent)));
    if (ready.length === 0) throw new Error(`Tables point to each other in a circle: ${[...waiting].join(', ')}.`);
    ordered.push(...ready);
    for (const name of ready) waiting.delete(name);
  }
  return ordered;
}
