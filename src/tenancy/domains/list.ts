import type { ManagementCtx } from '../../context.ts';
import { DOMAIN_COLUMNS, type DomainRow } from './render.ts';

/** All domains of the organisation in the order they were added: the limit bounds them. */
export const listDomains = ({ db, org }: ManagementCtx): Promise<DomainRow[]> =>
  db.selectFrom('org_domains').select(DOMAIN_COLUMNS).where('org_id', '=', org.id).orderBy('id').execute();
