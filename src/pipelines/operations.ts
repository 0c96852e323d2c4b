import type { Operation } from '../operation/operation.ts';
import { etlPipelineOperations } from './etl/operations.ts';
import { ehrPipelineOperations } from './ehr/operations.ts';

export const pipelineOperations: Operation[] = [...etlPipelineOperations, ...ehrPipelineOperations];
