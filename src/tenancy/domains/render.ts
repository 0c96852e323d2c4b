import type { Static } from 'typebox';
import type { OrgDomain } from './schemas.ts';

export const DOMAIN_COLUMNS = ['id', 'domain', 'proof', 'verified_at', 'created_at'] as const;

export type DomainRow = { id: string; domain: string; proof: string; verified_at: string | null; created_at: string };

/** Where the proof stands: below a name of its own, so that it is in nobody's way. */
export const proofName = ({ domain }: Pick<DomainRow, 'domain'>): string => `_phial-verification.${domain}`;

/** A domain as the management API shows it. */
export const toDomain = (row: DomainRow): Static<typeof OrgDomain> => ({
  id: row.id,
  domain: row.domain,
  is_verified: row.verified_at !== null,
  created_on: row.created_at,
  dns_records: [{ type: 'TXT', name: proofName(row), value: row.proof }],
});
