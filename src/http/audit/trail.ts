import type { FastifyRequest } from 'fastify';
import { MAX_RECORDS, type AuditEntry } from '../../audit/entry.ts';
import type { RequestLine } from '../../context.ts';
import type { KeyIdentity } from '../auth/caller.ts';

/** The data for the audit line of a request. We gather it while the request runs. A request without a key has none. */
export type Trail = {
  key: KeyIdentity;
  action: string;
  request_id: string;
  address: string | null;
  /** The team of the request. If a management key sent the request, this is the team that the request names. */
  team_id: string | null;
  records: string[];
  /** True if the line was written, or if the transaction of the change wrote it. */
  written: boolean;
};

/**
 * Starts the trail of `request`, with `key` as the actor. It copies the client's address now, because the connection
 * may be gone when we write the line.
 */
export function startTrail(request: FastifyRequest, key: KeyIdentity, records: string[] = []): void {
  const { operation } = request.routeOptions.config;
  if (!operation) return;
  request.trail = {
    key,
    action: operation.id,
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
  person_id: key.person_id ?? null,
  actor: key.kind,
  action,
  status,
  records: [...new Set(records)].slice(0, MAX_RECORDS),
  request_id,
  address,
});

/** Returns an object with which an operation adds ids to the audit line of its request. */
export const requestLine = (request: FastifyRequest): RequestLine => ({
  actor: (key, records) => startTrail(request, key, records),
  names: (...ids) => void request.trail?.records.push(...ids),
});

/**
 * Returns the client's address, or null if the connection is gone and the address is unknown. Node appends the
 * interface to a link-local address (fe80::1%eth0). This function removes it, because PostgreSQL does not accept it.
 */
export const addressOf = ({ ip }: { ip: string | undefined }): string | null => ip?.split('%', 1)[0] ?? null;
