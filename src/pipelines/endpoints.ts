import type { Endpoint } from '../http/endpoint.ts';
import { ehrPipelineEndpoints } from './ehr/endpoints.ts';

export const pipelineEndpoints: Endpoint[] = [...ehrPipelineEndpoints];
