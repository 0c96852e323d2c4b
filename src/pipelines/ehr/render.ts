import type { ManagementCtx } from '../../context.ts';
import { MASK } from '../mask.ts';
import type { EhrAuthentication, EhrPipeline } from './schemas.ts';

export type EhrPipelineRow = {
  team_id: string;
  ehr_type: 'fhir' | 'hint_health';
  base_url: string;
  authentication: Buffer;
  allowed_mappers: string[] | null;
};

/**
 * Returns the row to which the encrypted secrets of a pipeline are bound, so that they cannot be moved to another
 * pipeline.
 */
export const sealedRow = ({ team_id, ehr_type }: Pick<EhrPipelineRow, 'team_id' | 'ehr_type'>) => ({
  team_id,
  id: `${team_id}/${ehr_type}`,
});

/** Renders a pipeline for the API, with masked secrets. */
export function renderEhrPipeline({ cipher }: ManagementCtx, row: EhrPipelineRow): EhrPipeline {
  const { team_id, ehr_type, base_url, allowed_mappers } = row;
  const opened = cipher.openJson<EhrAuthentication>('ehr_pipelines.authentication', sealedRow(row), row.authentication);
  return { team_id, type: 'native', ehr_type, base_url, authentication: masked(opened), allowed_mappers };
}

function masked(of: EhrAuthentication): EhrAuthentication {
  if (of.type === 'client_credentials') return { ...of, client_secret: MASK };
  return of.type === 'api_key' ? { ...of, api_key: MASK } : of;
}
