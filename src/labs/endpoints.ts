import type { Endpoint } from '../http/endpoint.ts';
import { appointmentEndpoints } from './appointments/endpoints.ts';
import { schedulerEndpoints } from './appointments/news/endpoints.ts';
import { compendiumEndpoints } from './catalogue/compendium/endpoints.ts';
import { labTestEndpoints } from './catalogue/endpoints.ts';
import { labAccountEndpoints } from './catalogue/lab-accounts/endpoints.ts';
import { carrierEndpoints } from './laboratories/carriers/endpoints.ts';
import { fhirEndpoints } from './laboratories/fhir/endpoints.ts';
import { repairEndpoints } from './laboratories/hl7/management/endpoints.ts';
import { simulationEndpoints } from './laboratories/simulated/endpoints.ts';
import { documentEndpoints } from './documents/endpoints.ts';
import { messageEndpoints } from './orders/messages/endpoints.ts';
import { orderEndpoints } from './orders/endpoints.ts';
import { portalEndpoints } from './portal/endpoints.ts';
import { placeEndpoints } from './places/endpoints.ts';
import { resultEndpoints } from './results/endpoints.ts';
import { unmatchedEndpoints } from './results/unmatched/endpoints.ts';
import { managedUnmatchedEndpoints } from './results/unmatched/management-endpoints.ts';
import { labReportEndpoints } from './results/parser/endpoints.ts';

/** Every operation of the laboratory wing, in the order of its documentation. */
export const labEndpoints: Endpoint[] = [
  ...labTestEndpoints,
  ...compendiumEndpoints,
  ...orderEndpoints,
  ...messageEndpoints,
  ...placeEndpoints,
  ...appointmentEndpoints,
  ...simulationEndpoints,
  ...carrierEndpoints,
  ...schedulerEndpoints,
  ...resultEndpoints,
  ...fhirEndpoints,
  ...unmatchedEndpoints,
  ...documentEndpoints,
  ...portalEndpoints,
  ...labReportEndpoints,
  ...labAccountEndpoints,
  ...repairEndpoints,
  ...managedUnmatchedEndpoints,
];
