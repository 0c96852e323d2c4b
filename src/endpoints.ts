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
import { attemptEndpoints, sendingEndpoints } from './webhooks/attempts/endpoints.ts';
import { webhookEndpoints } from './webhooks/endpoints.ts';
import { eventTypeEndpoints } from './webhooks/event-types/endpoints.ts';
import { feedEndpoints } from './webhooks/feed/endpoints.ts';
import { replayEndpoints } from './webhooks/replays/endpoints.ts';

/** Every operation of the service, in the order of its documentation. */
export const endpoints: Endpoint[] = [
  ...userEndpoints,
  ...managementEndpoints,
  ...pipelineEndpoints,
  ...teamExportEndpoints,
  ...wearableEndpoints,
  ...insuranceEndpoints,
  ...labEndpoints,
  ...feedEndpoints,
  ...eventTypeEndpoints(eventCatalogue),
  ...webhookEndpoints,
  ...attemptEndpoints,
  ...replayEndpoints,
  ...sendingEndpoints(eventNames, eventCatalogue),
  ...systemEndpoints,
];
