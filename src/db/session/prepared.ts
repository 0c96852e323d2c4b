// Gives names to prepared statements. A prepared statement is 1.3 to 1.6 times as fast as an unnamed one, and far
// faster on partitions. But each one uses memory in every connection. So a statement gets a name only if its text is
// always the same.
import type { CompiledQuery, OperationNode, OperationNodeSource, RawNode, ValueNode } from 'kysely';

/** A statement text from one position in the source, with its name. */
type NamedStatement = { name: string; text: string };

/**
 * The most texts of one sql template. A template may contain alternatives, which make a few texts. If it makes more
 * than this, its text depends on its input.
 */
const MAX_TEXTS = 8;

const ofTemplates = new WeakMap<object, NamedStatement[]>();
const ofLabels = new Map<string, NamedStatement[]>();
const labels = new WeakMap<OperationNode, string>();
let made = 0;

/**
 * Marks a query of the query builder whose text is always the same: `query.$call(prepared('find user'))`.
 * An sql template needs no mark if it contains only values, other such templates, and `sql.raw` texts. PostgreSQL plans
 * a template with names (`sql.table`, `sql.ref`) or lists (`sql.join`) at each run. Some statements need this, because
 * PostgreSQL would otherwise cache a plan from a time when the table was empty. Such a statement names one of its
 * tables with `sql.table`.
 */
export const prepared =
  (label: string) =>
  <Q extends OperationNodeSource>(query: Q): Q => {
    labels.set(query.toOperationNode(), label);
    return query;
  };

/** Like `prepared`, for a statement that is already compiled. */
export function preparedStatement(label: string, query: CompiledQuery): CompiledQuery {
  labels.set(query.query, label);
  return query;
}

/**
 * Returns the name under which each connection prepares the statement, or undefined if it has none. If two texts have
 * the same label, the label loses its name for good. The same happens to a template with too many texts. So the number
 * of prepared statements stays small even if a text depends on its input.
 */
export function nameOf({ query, sql: text }: CompiledQuery): string | undefined {
  const label = labels.get(query);
  if (label !== undefined) return nameAt(ofLabels, label, { text, most: 1 });
  if (query.kind !== 'RawNode' || !isWritten(query)) return undefined;
  const { sqlFragments } = query as RawNode;
  // A template literal at one position in the source is always the same object. The argument of `sql.raw` is not.
  return 'raw' in sqlFragments ? nameAt(ofTemplates, sqlFragments, { text, most: MAX_TEXTS }) : undefined;
}

/** Returns the labels whose text varied. That is a mistake in the source, and tests check for it. */
export const varying = (): string[] => [...ofLabels].filter(([, named]) => named.length > 1).map(([label]) => label);

/**
 * Returns true if the source contains the entire text, in templates and `sql.raw` texts, and if all parameters are
 * values.
 */
function isWritten(node: OperationNode): boolean {
  if (node.kind === 'ValueNode') return (node as ValueNode).immediate !== true;
  if (node.kind !== 'RawNode') return false;
  const { sqlFragments, parameters } = node as RawNode;
  return ('raw' in sqlFragments || parameters.length === 0) && parameters.every(isWritten);
}

type NamedByKey<Key> = {
  get: (key: Key) => NamedStatement[] | undefined;
  set: (key: Key, named: NamedStatement[]) => unknown;
};

function nameAt<Key>(
  cache: NamedByKey<Key>,
  key: Key,
  { text, most }: { text: string; most: number },
): string | undefined {
  let known = cache.get(key);
  if (!known) cache.set(key, (known = []));
  let named = known.find((one) => one.text === text);
  if (!named && known.length <= most) known.push((named = { name: `s${(made += 1)}`, text }));
  return known.length <= most ? named?.name : undefined;
}
