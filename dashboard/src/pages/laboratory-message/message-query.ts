import { phial, unwrap } from '../../api/client.ts';
import type { useTeamPath } from '../../api/session.tsx';
import { faultyFields } from '../../parts/message-reasons.ts';
import { isSuspect } from './field-names.ts';

export const messageQuery = (path: ReturnType<typeof useTeamPath>, message_id: string) => ({
  queryKey: ['laboratory_message', path.team_id, message_id],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_message/{message_id}', {
        params: { path: { ...path, message_id } },
      }),
    ),
});

export type Message = Awaited<ReturnType<ReturnType<typeof messageQuery>['queryFn']>>;
export type Segment = Message['segments'][number];

/** A segment at fault, with the fields in which the fault is. No field: the segment as a whole, or one after it. */
export type Fault = { segment: Segment; reason: string; fields: readonly number[] };

/** Where the faults of a waiting message are. A message that waits as a whole names no segment: then it is searched. */
export function faultsOf({ state, reason, waits, segments }: Message): Fault[] {
  if (state !== 'failed' || reason === null) return [];
  if (waits.length === 0)
    return segments.flatMap((segment) => {
      const fields = fieldsAtFault(reason, segment);
      return fields.length > 0 && isSuspect(reason, segment.fields) ? [{ segment, reason, fields }] : [];
    });
  return waits.flatMap((part) => {
    const segment = segments.find(({ number }) => number === part.number);
    return segment ? [{ segment, reason: part.reason, fields: fieldsAtFault(part.reason, segment) }] : [];
  });
}

const TYPES = new Set(['NM', 'ST', 'TX', 'FT', 'CE', 'CWE', 'SN', 'DT', 'TM', 'TS', 'DTM', 'ED', 'RP']);

/** A value that is not of its type is at fault itself, unless no such type exists. */
function fieldsAtFault(reason: string, { name, fields }: Segment): readonly number[] {
  const found = faultyFields(reason, name);
  if (reason !== 'value_not_of_type' || found.length === 0) return found;
  return [TYPES.has(fields['2'] ?? '') ? 5 : 2];
}
