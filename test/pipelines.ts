import type { Team } from './test-app.ts';

export const ehrPath = ({ org_id }: Pick<Team, 'org_id'>): string => `/v1/org/${org_id}/team_ehr_pipelines/sandbox/us`;

/** A body that configures an EHR for these teams. */
export const ehrPipeline = (team_ids: string[], authentication: object = { type: 'api_key', api_key: 'of-ehr' }) => ({
  team_ids,
  ehr_type: 'fhir',
  base_url: 'https://ehr.example.com/fhir',
  authentication,
});

export const etlPath = ({ org_id }: Pick<Team, 'org_id'>): string => `/v1/org/${org_id}/team_etl_pipelines/sandbox/us`;

/** A body that streams events of these teams. */
export const etlPipeline = (team_ids: string[], uri = 'amqps://phial:of-broker@broker.example.com/clinic') => ({
  team_ids,
  rabbitmq: { uri, exchange: 'health' },
});
