import type { Endpoint } from '../http/endpoint.ts';
import { aggregateEndpoints } from './aggregate/endpoints.ts';
import { continuousQueryEndpoints } from './aggregate/continuous/endpoints.ts';
import { connectionEndpoints } from './connections/endpoints.ts';
import { fileEndpoints } from './files/endpoints.ts';
import { credentialEndpoints } from './credentials/endpoints.ts';
import { hookEndpoints } from './hooks/endpoints.ts';
import { linkEndpoints } from './link/endpoints.ts';
import { requirementEndpoints } from './link/requirements/endpoints.ts';
import { priorityEndpoints } from './priorities/endpoints.ts';
import { pullEndpoints } from './pulls/endpoints.ts';
import { pullPreferenceEndpoints } from './pulls/preferences/endpoints.ts';
import { summaryEndpoints } from './summaries/endpoints.ts';
import { timeseriesEndpoints } from './timeseries/endpoints.ts';

export const wearableEndpoints: Endpoint[] = [
  ...connectionEndpoints,
  ...fileEndpoints,
  ...linkEndpoints,
  ...hookEndpoints,
  ...pullEndpoints,
  ...summaryEndpoints,
  ...timeseriesEndpoints,
  ...aggregateEndpoints,
  ...continuousQueryEndpoints,
  ...priorityEndpoints,
  ...pullPreferenceEndpoints,
  ...requirementEndpoints,
  ...credentialEndpoints,
];
