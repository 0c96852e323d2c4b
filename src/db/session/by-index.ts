// Plans that go by indexes, whatever the tables hold and whatever is known of that. A plan made while a table was tiny, or by
// statistics that are out of date, then is the plan for its real size, and can be kept.
import type { CompiledQuery, OperationNode, OperationNodeSource } from 'kysely';

/** What a connection or a transaction is set to for that. */
export const BY_INDEX: Readonly<Record<string, 'off' | 'force_generic_plan'>> = {
  // Else a statement beside many partitions, or with short arrays, is planned each time it runs, which takes longer than itself.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_hashagg: 'off',
  enable_material: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  // Before version 18 what is off and cannot be done without counts as so dear that PostgreSQL would compile it first.
  jit: 'off',
};

const marked = new WeakSet<OperationNode>();

/**
 * Marks a statement that finds what it reads along indexes: it is planned once a connection, by them. Those settings last until
 * the end of the transaction where it is part of one, so nothing belongs into that which is better read whole.
 *
 * Of indexes that look equally good while a table is empty PostgreSQL takes the newest, whatever they lead through later. The
 * order that is asked for says which is meant: `id between x and x order by id limit 1` for what is found by id.
 */
export function byIndex<Q extends OperationNodeSource>(query: Q): Q {
  marked.add(query.toOperationNode());
  return query;
}

/** Marks a statement that was written out, like `byIndex`. */
export function statementByIndex(query: CompiledQuery): CompiledQuery {
  marked.add(query.query);
  return query;
}

export const goesByIndex = ({ query }: CompiledQuery): boolean => marked.has(query);
