import { eventCatalogue, eventNames } from './event-catalogue.ts';
import type { Endpoint } from './http/endpoint.ts';
import { insuranceEndpoints } from './insurance/endpoints.ts';
import { labEndpoints } from './labs/endpoints.ts';
import { managementEndpoints } from './tenancy/endpoints.ts';
import { pipelineEndpoints } from './pipelines/endpoints.ts';
import { systemEndpoints } from './system/endpoints.ts';
import { teamExportEndpoints } from './team-export/endpoints.ts';
import { userEndpoints } from './users/endpoints.ts';
import { wearableEndpoints } from './wearables/endpoints.ts';
import { webhookEndpoints } from './webhooks/endpoints.ts';

/** Every operation of the service, in the order of its documentation. */
export const endpoints: Endpoint[] = [
  ...userEndpoints,
  ...managementEndpoints,
  ...pipelineEndpoints,
  ...teamExportEndpoints,
  ...wearableEndpoints,
  ...insuranceEndpoints,
  ...labEndpoints,
  ...webhookEndpoints(eventNames, eventCatalogue),
  ...systemEndpoints,
];
