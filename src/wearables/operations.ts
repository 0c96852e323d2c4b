import type { Operation } from '../operation/operation.ts';
import { aggregateOperations } from './aggregate/operations.ts';
import { continuousQueryOperations } from './aggregate/continuous/operations.ts';
import { connectionOperations } from './connections/operations.ts';
import { fileOperations } from './files/operations.ts';
import { credentialOperations } from './credentials/operations.ts';
import { hookOperations } from './hooks/operations.ts';
import { linkOperations } from './link/operations.ts';
import { requirementOperations } from './link/requirements/operations.ts';
import { priorityOperations } from './priorities/operations.ts';
import { pullOperations } from './pulls/operations.ts';
import { pullPreferenceOperations } from './pulls/preferences/operations.ts';
import { summaryOperations } from './summaries/operations.ts';
import { timeseriesOperations } from './timeseries/operations.ts';

export const wearableOperations: Operation[] = [
  ...connectionOperations,
  ...fileOperations,
  ...linkOperations,
  ...hookOperations,
  ...pullOperations,
  ...summaryOperations,
  ...timeseriesOperations,
  ...aggregateOperations,
  ...continuousQueryOperations,
  ...priorityOperations,
  ...pullPreferenceOperations,
  ...requirementOperations,
  ...credentialOperations,
];
