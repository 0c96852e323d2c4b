import type { TSchema } from 'typebox';
import { MOST_RECORDS } from '../../audit/entry.ts';
import type { Endpoint } from '../endpoint.ts';
import { jsonOf } from '../media.ts';

type Shape = {
  format?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
};
type Collect = (value: unknown, ids: Set<string>) => void;

/** They have columns of their own, unless several are named. */
const OWN_COLUMNS = new Set(['org_id', 'team_id']);
/** An answer, the page or the object in it, and what that object names. */
const DEEPEST = 3;

/**
 * The ids that a value of this shape names, in the places that the schema declares as UUIDs. References that customers
 * choose, such as client_user_id or member_id, are no UUIDs by their schemas and stay out, whatever they look like.
 */
function collector(shape: Shape | undefined, depth = 1): Collect | null {
  if (shape === undefined) return null;
  if (shape.format === 'uuid') {
    return (value, ids) => {
      if (typeof value === 'string' && ids.size < MOST_RECORDS) ids.add(value);
    };
  }
  if (shape.items) {
    const each = collector(shape.items, depth);
    return each && ((value, ids) => (Array.isArray(value) ? value.forEach((item) => each(item, ids)) : undefined));
  }
  if (!shape.properties || depth > DEEPEST) return null;
  const members = Object.entries(shape.properties).flatMap(([name, member]) => {
    const collect = OWN_COLUMNS.has(name) && !member.items ? null : collector(member, depth + 1);
    return collect ? [{ name, collect }] : [];
  });
  if (members.length === 0) return null;
  return (value, ids) => {
    if (typeof value !== 'object' || value === null) return;
    for (const { name, collect } of members) collect((value as Record<string, unknown>)[name], ids);
  };
}

/** What of the input and the answer of an operation its line in the audit log names. */
export function recordIdsOf({ params, query, body, response }: Endpoint): {
  ofInput: (input: { params: unknown; query: unknown; body: unknown }) => string[];
  ofAnswer: (answer: unknown) => string[];
} {
  const [inParams, inQuery, inBody, inAnswer] = [params, query, jsonOf(body), jsonOf(response)].map((schema) =>
    collector(schema as TSchema & Shape),
  );
  const gather = (...parts: [Collect | null | undefined, unknown][]): string[] => {
    const ids = new Set<string>();
    for (const [collect, value] of parts) collect?.(value, ids);
    return [...ids];
  };
  return {
    ofInput: (input) => gather([inParams, input.params], [inQuery, input.query], [inBody, input.body]),
    ofAnswer: (answer) => gather([inAnswer, answer]),
  };
}
