import { eventCatalogue, eventNames } from './event-catalogue.ts';
import { demoClinicOperations } from './demo-clinic/operations.ts';
import type { Operation } from './operation/operation.ts';
import { insuranceOperations } from './insurance/operations.ts';
import { labOperations } from './labs/operations.ts';
import { managementOperations } from './tenancy/operations.ts';
import { overviewOperations } from './overview/operations.ts';
import { pipelineOperations } from './pipelines/operations.ts';
import { systemOperations } from './system/operations.ts';
import { teamExportOperations } from './team-export/operations.ts';
import { userOperations } from './users/operations.ts';
import { wearableOperations } from './wearables/operations.ts';
import { webhookOperations } from './webhooks/operations.ts';

/** Every operation of the service, in the order of the documentation. */
export const operations: Operation[] = [
  ...userOperations,
  ...managementOperations,
  ...overviewOperations,
  ...pipelineOperations,
  ...teamExportOperations,
  ...wearableOperations,
  ...insuranceOperations,
  ...labOperations,
  ...demoClinicOperations,
  ...webhookOperations(eventNames, eventCatalogue),
  ...systemOperations,
];
