import type { ManagementCtx } from '../../context.ts';
import { DOMAIN_COLUMNS, type DomainRow } from './render.ts';

/**
 * Lists all domains of the organisation, the oldest first. The list needs no pages, because the number of domains is
 * limited.
 */
export const listDomains = ({ db, org }: ManagementCtx): Promise<DomainRow[]> =>
  db.selectFrom('org_domains').select(DOMAIN_COLUMNS).where('org_id', '=', org.id).orderBy('id').execute();
