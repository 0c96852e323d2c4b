// Makes PostgreSQL use indexes in its plans, even if a table is small or its statistics are old. A plan that PostgreSQL
// made for a tiny table then also suits the later size of the table, so it can stay cached.
import type { CompiledQuery, OperationNode, OperationNodeSource } from 'kysely';

/** The settings of a connection or a transaction that make PostgreSQL use indexes. */
export const BY_INDEX: Readonly<Record<string, 'off' | 'force_generic_plan'>> = {
  // Without this, PostgreSQL plans some statements at each run: statements on many partitions, or with short arrays.
  // The planning takes longer than the statement.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_hashagg: 'off',
  enable_material: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  // Before version 18, a disabled plan node has a very high cost if it is still needed. For such a cost PostgreSQL
  // would compile the plan first.
  jit: 'off',
};

const marked = new WeakSet<OperationNode>();

/**
 * Marks a statement that finds its rows by indexes. Each connection plans it once, with indexes. Inside a transaction,
 * the settings stay until its end. So the transaction must not contain a statement that needs a full scan.
 *
 * While a table is empty, several indexes look equally good, and PostgreSQL takes the newest. The `order by` clause
 * selects the right one. Use `id between x and x order by id limit 1` to find a row by id.
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
