import type { TSchema } from 'typebox';
import { MAX_RECORDS } from '../../audit/entry.ts';
import type { Operation } from '../../operation/operation.ts';
import { jsonOf } from '../../operation/media.ts';

type Shape = {
  format?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
};
type Collect = (value: unknown, ids: Set<string>) => void;

/**
 * `org_id` and `team_id` have columns of their own in the audit log. So we do not collect fields with these names,
 * unless the field is a list of ids.
 */
const OWN_COLUMNS = new Set(['org_id', 'team_id']);
/**
 * How deep we look for ids: in the response, in the page or object in the response, and in the members of that object.
 */
const DEEPEST = 3;

/**
 * Returns a function that collects the ids in a value: the members that the schema declares as UUIDs. References that
 * customers choose, such as client_user_id and member_id, are not declared as UUIDs. So the audit log never contains
 * them, even if one looks like a UUID.
 */
function collector(shape: Shape | undefined, depth = 1): Collect | null {
  if (shape === undefined) return null;
  if (shape.format === 'uuid') {
    return (value, ids) => {
      if (typeof value === 'string' && ids.size < MAX_RECORDS) ids.add(value);
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

/** Returns two functions that collect ids for the audit line: from the input of an operation, and from its response. */
export function recordIdsOf({ params, query, body, response }: Operation): {
  ofInput: (input: { params: unknown; query: unknown; body: unknown }) => string[];
  ofResponse: (value: unknown) => string[];
} {
  const [inParams, inQuery, inBody, inResponse] = [params, query, jsonOf(body), jsonOf(response)].map((schema) =>
    collector(schema as TSchema & Shape),
  );
  const gather = (...parts: [Collect | null | undefined, unknown][]): string[] => {
    const ids = new Set<string>();
    for (const [collect, value] of parts) collect?.(value, ids);
    return [...ids];
  };
  return {
    ofInput: (input) => gather([inParams, input.params], [inQuery, input.query], [inBody, input.body]),
    ofResponse: (value) => gather([inResponse, value]),
  };
}
