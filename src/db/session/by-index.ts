// Makes PostgreSQL use indexes in its plans, even if a table is small or its statistics are old. PostgreSQL caches the
// plan of a statement. A plan from a time when the table was tiny would otherwise read the complete table later.
import type { CompiledQuery, OperationNode, OperationNodeSource } from 'kysely';

/** The settings of a connection or a transaction that make PostgreSQL use indexes. */
export const BY_INDEX: Readonly<Record<string, 'off' | 'force_generic_plan'>> = {
  // PostgreSQL would plan some statements at each run, for example those on many partitions. The planning takes longer
  // than the statement.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_hashagg: 'off',
  enable_material: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  // Before version 18, PostgreSQL gives a disabled operation that it still needs a very high cost. Because of that
  // cost, it would compile the plan before it runs the statement.
  jit: 'off',
};

const marked = new WeakSet<OperationNode>();

/**
 * Marks a statement that finds its rows by indexes. Each connection plans it once, with indexes. In a transaction, this
 * setting stays until the end of the transaction. So no statement of that transaction may need to read a complete
 * table.
 * While a table is empty, several indexes look equally good to PostgreSQL, and it takes the newest. The `order by`
 * clause selects the right one. Use `id between x and x order by id limit 1` to find a row by id.
 */
export function byIndex<Q extends OperationNodeSource>(query: Q): Q {
  marked.add(query.toOperationNode());
  return query;
}

/** Like `byIndex`, for a statement that is already compiled. */
export function statementByIndex(query: CompiledQuery): CompiledQuery {
  marked.add(query.query);
  return query;
}

export const goesByIndex = ({ query }: CompiledQuery): boolean => marked.has(query);
