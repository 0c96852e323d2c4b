import type { Endpoint } from '../http/endpoint.ts';
import { attemptEndpoints, sendingEndpoints } from './attempts/endpoints.ts';
import { eventTypeEndpoints } from './event-types/endpoints.ts';
import type { EventTypeDescription } from './event-types/schemas.ts';
import { feedEndpoints } from './feed/endpoints.ts';
import { webhookMetricsEndpoints } from './metrics/endpoints.ts';
import { receiverEndpoints } from './receivers/endpoints.ts';
import { replayEndpoints } from './replays/endpoints.ts';

/**
 * What happens, sent to a team's receivers or read by it, and how that went. The wings above know what is told: they give the
 * names of all types of event, and the catalogue of them.
 */
export const webhookEndpoints = (names: string[], catalogue: () => { data: EventTypeDescription[] }): Endpoint[] => [
  ...feedEndpoints,
  ...eventTypeEndpoints(catalogue),
  ...receiverEndpoints,
  ...webhookMetricsEndpoints,
  ...attemptEndpoints,
  ...replayEndpoints,
  ...sendingEndpoints(names, catalogue),
];
