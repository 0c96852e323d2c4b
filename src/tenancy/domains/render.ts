import type { Static } from 'typebox';
import type { OrgDomain } from './schemas.ts';

export const DOMAIN_COLUMNS = ['id', 'domain', 'proof', 'verified_at', 'created_at'] as const;

export type DomainRow = { id: string; domain: string; proof: string; verified_at: string | null; created_at: string };

/** Returns the name of the TXT record. It is a subdomain of its own, so the domain keeps all its other records. */
export const proofName = ({ domain }: Pick<DomainRow, 'domain'>): string => `_phial-verification.${domain}`;

/** Renders a domain for the management API. */
export const toDomain = (row: DomainRow): Static<typeof OrgDomain> => ({
  id: row.id,
  domain: row.domain,
  is_verified: row.verified_at !== null,
  created_on: row.created_at,
  dns_records: [{ type: 'TXT', name: proofName(row), value: row.proof }],
});
