import type { Endpoint } from '../http/endpoint.ts';
import { etlPipelineEndpoints } from './etl/endpoints.ts';
import { ehrPipelineEndpoints } from './ehr/endpoints.ts';

export const pipelineEndpoints: Endpoint[] = [...etlPipelineEndpoints, ...ehrPipelineEndpoints];
