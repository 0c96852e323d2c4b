import type { FastifyRequest } from 'fastify';
import { MOST_RECORDS, type AuditEntry } from '../../audit/entry.ts';
import type { RequestLine } from '../../context.ts';
import type { KeyIdentity } from '../auth/caller.ts';

/** What a request leaves in the audit log, gathered on its way. Null where no key of ours was shown. */
export type Trail = {
  key: KeyIdentity;
  action: string;
  request_id: string;
  address: string | null;
  /** The team that the request was about, where a management key named it. */
  team_id: string | null;
  records: string[];
  /** True when its line is written, or goes with the transaction of the change. */
  written: boolean;
};

/**
 * Begins the trail of `request` as an act of `key`. All that the line needs is taken now: when the answer has left, the
 * connection and its address may be gone.
 */
export function startTrail(request: FastifyRequest, key: KeyIdentity, records: string[] = []): void {
  const { endpoint } = request.routeOptions.config;
  if (!endpoint) return;
  request.trail = {
    key,
    action: endpoint.id,
    request_id: request.id,
    address: request.address,
    team_id: key.team_id,
    records: [...records],
    written: false,
  };
}

export const lineOf = ({ key, team_id, action, records, request_id, address }: Trail, status: number): AuditEntry => ({
  org_id: key.org_id,
  team_id,
  key_id: key.id,
  actor: key.kind,
  action,
  status,
  records: records.slice(0, MOST_RECORDS),
  request_id,
  address,
});

/** What an operation tells the line of its request. */
export const requestLine = (request: FastifyRequest): RequestLine => ({
  actor: (key, records) => startTrail(request, key, records),
  names: (...ids) => void request.trail?.records.push(...ids),
});

/** Of a connection that is gone already nobody knows it. Node names the interface behind a link-local address, as fe80::1%eth0,
 * which is no address to PostgreSQL. */
export const addressOf = ({ ip }: { ip: string | undefined }): string | null => ip?.split('%', 1)[0] ?? null;
