import type { FastifyRequest } from 'fastify';
import { MOST_RECORDS, type AuditEntry } from '../../audit/entry.ts';
import type { KeyIdentity } from '../auth/caller.ts';
import type { Endpoint } from '../endpoint.ts';

/** What a request leaves in the audit log, gathered on its way. Null where no key of ours was shown. */
export type Trail = {
  key: KeyIdentity;
  /** The team that the request was about, where a management key named it. */
  team_id: string | null;
  records: string[];
  /** True when its line went with the transaction of the change. */
  written: boolean;
};

export const startTrail = (key: KeyIdentity, records: string[] = []): Trail => ({
  key,
  team_id: key.team_id,
  records: [...records],
  written: false,
});

export function lineOf(request: FastifyRequest, endpoint: Endpoint, trail: Trail, status: number): AuditEntry {
  return {
    org_id: trail.key.org_id,
    team_id: trail.team_id,
    key_id: trail.key.id,
    actor: trail.key.kind,
    action: endpoint.id,
    status,
    records: trail.records.slice(0, MOST_RECORDS),
    request_id: request.id,
    address: withoutZone(request.ip),
  };
}

/** Node names the interface behind a link-local address, as fe80::1%eth0, which is no address to PostgreSQL. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? address;
