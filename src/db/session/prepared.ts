// Prepared statements are 1.3 to 1.6 times as fast as unnamed ones, and beside partitions far more, but each stays in the memory
// of every connection: only a text that cannot vary with its input gets a name. Such a text belongs to one place in the source.
import type { CompiledQuery, OperationNode, OperationNodeSource, RawNode, ValueNode } from 'kysely';

/** A text of one place in the source. */
type Named = { name: string; text: string };

/** Texts of one template: as many as its alternatives make. One with more varies. */
const MOST_TEXTS = 8;

const ofTemplates = new WeakMap<object, Named[]>();
const ofLabels = new Map<string, Named[]>();
const labels = new WeakMap<OperationNode, string>();
let made = 0;

/**
 * Marks a query of the builder as one whose text is always the same: `query.$call(prepared('find user'))`.
 * An sql template of values and of other such templates, or of `sql.raw` texts, needs no mark. What is made of names
 * (`sql.table`, `sql.ref`) or lists (`sql.join`) is planned each time it runs: a statement that is to be, since a plan from when
 * its tables were empty would be kept, says one of its tables so.
 */
export const prepared =
  (label: string) =>
  <Q extends OperationNodeSource>(query: Q): Q => {
    labels.set(query.toOperationNode(), label);
    return query;
  };

/** Marks a statement that was written out, like `prepared`. */
export function preparedStatement(label: string, query: CompiledQuery): CompiledQuery {
  labels.set(query.query, label);
  return query;
}

/**
 * The name under which a statement is prepared once a connection. A label whose text turns out to vary, and a template that
 * has more texts than its source can have alternatives, lose their names for good: however texts vary, there are never more names
 * than a few for each place in the source.
 */
export function nameOf({ query, sql: text }: CompiledQuery): string | undefined {
  const label = labels.get(query);
  if (label !== undefined) return nameAt(ofLabels, label, { text, most: 1 });
  if (query.kind !== 'RawNode' || !isWritten(query)) return undefined;
  const { sqlFragments } = query as RawNode;
  // A template is one object for its place in the source; what sql.raw takes is none.
  return 'raw' in sqlFragments ? nameAt(ofTemplates, sqlFragments, { text, most: MOST_TEXTS }) : undefined;
}

/** Labels whose text varied: a mistake of the source, which tests look for. */
export const varying = (): string[] => [...ofLabels].filter(([, named]) => named.length > 1).map(([label]) => label);

/** Whether all of a text is written in the source, in templates and by `sql.raw`, with nothing but values in it. */
function isWritten(node: OperationNode): boolean {
  if (node.kind === 'ValueNode') return (node as ValueNode).immediate !== true;
  if (node.kind !== 'RawNode') return false;
  const { sqlFragments, parameters } = node as RawNode;
  return ('raw' in sqlFragments || parameters.length === 0) && parameters.every(isWritten);
}

type Places<Place> = { get: (place: Place) => Named[] | undefined; set: (place: Place, named: Named[]) => unknown };

function nameAt<Place>(
  places: Places<Place>,
  place: Place,
  { text, most }: { text: string; most: number },
): string | undefined {
  let known = places.get(place);
  if (!known) places.set(place, (known = []));
  let named = known.find((one) => one.text === text);
  if (!named && known.length <= most) known.push((named = { name: `s${(made += 1)}`, text }));
  return known.length <= most ? named?.name : undefined;
}
