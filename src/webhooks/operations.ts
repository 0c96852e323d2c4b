import type { Operation } from '../operation/operation.ts';
import { attemptOperations, sendingOperations } from './attempts/operations.ts';
import { eventTypeOperations } from './event-types/operations.ts';
import type { EventTypeDescription } from './event-types/schemas.ts';
import { feedOperations } from './feed/operations.ts';
import { webhookMetricsOperations } from './metrics/operations.ts';
import { demoEndpointOperations } from './demo-endpoint/operations.ts';
import { endpointOperations } from './endpoints/operations.ts';
import { replayOperations } from './replays/operations.ts';

/**
 * The operations of webhooks and of the change feed. This module may not import the modules that define event types, so
 * the caller passes the names of all types and the catalogue.
 */
export const webhookOperations = (names: string[], catalogue: () => { data: EventTypeDescription[] }): Operation[] => [
  ...feedOperations,
  ...eventTypeOperations(catalogue),
  ...endpointOperations,
  ...webhookMetricsOperations,
  ...attemptOperations,
  ...replayOperations,
  ...sendingOperations(names, catalogue),
  ...demoEndpointOperations,
];
