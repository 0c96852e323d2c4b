// Prepared statements are 1.3 to 1.6 times as fast as unnamed ones, but each stays in the memory of every connection:
// only a text that cannot vary with its input gets a name. Such a text belongs to one place in the source.
import type { CompiledQuery, OperationNode, OperationNodeSource, RawNode } from 'kysely';

type Named = { name: string; text: string; varies: boolean };

const ofTemplates = new WeakMap<object, Named>();
const ofLabels = new Map<string, Named>();
const labels = new WeakMap<OperationNode, string>();
let made = 0;

/**
 * Marks a query of the builder as one whose text is always the same: `query.$call(prepared('find user'))`.
 * One sql template with nothing but values in it needs no mark.
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
 * The name under which a statement is prepared once a connection. A label whose text turns out to vary
 * loses its name for good, so that there are never more names than places in the source.
 */
export function nameOf({ query, sql: text }: CompiledQuery): string | undefined {
  const named = namedBy(query, text);
  if (!named) return undefined;
  if (named.text !== text) named.varies = true;
  return named.varies ? undefined : named.name;
}

/** Labels whose text varied: a mistake of the source, which tests look for. */
export const varying = (): string[] => [...ofLabels].filter(([, { varies }]) => varies).map(([label]) => label);

function namedBy(query: OperationNode, text: string): Named | undefined {
  const label = labels.get(query);
  if (label !== undefined) return remember(ofLabels, label, text);
  if (query.kind !== 'RawNode') return undefined;
  const { sqlFragments, parameters } = query as RawNode;
  // A template is one object for its place in the source, and with nothing but values in it the text is its own.
  const constant = 'raw' in sqlFragments && parameters.every(({ kind }) => kind === 'ValueNode');
  return constant ? remember(ofTemplates, sqlFragments, text) : undefined;
}

function remember<Place>(
  places: { get: (place: Place) => Named | undefined; set: (place: Place, named: Named) => unknown },
  place: Place,
  text: string,
): Named {
  const known = places.get(place);
  if (known) return known;
  const named = { name: `s${(made += 1)}`, text, varies: false };
  places.set(place, named);
  return named;
}
