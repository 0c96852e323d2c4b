import type { Operation } from '../operation/operation.ts';
import { appointmentOperations } from './appointments/operations.ts';
import { appointmentListOperations } from './appointments/day/operations.ts';
import { schedulerOperations } from './appointments/updates/operations.ts';
import { compendiumOperations } from './catalogue/compendium/operations.ts';
import { labTestOperations } from './catalogue/operations.ts';
import { ownTestOperations } from './catalogue/own-tests/operations.ts';
import { labAccountOperations } from './catalogue/lab-accounts/operations.ts';
import { carrierOperations } from './carriers/operations.ts';
import { fhirOperations } from './laboratories/fhir/operations.ts';
import { repairOperations } from './laboratories/hl7/management/operations.ts';
import { simulationOperations } from './laboratories/simulated/operations.ts';
import { documentOperations } from './documents/operations.ts';
import { messageOperations } from './orders/messages/operations.ts';
import { orderUnderWayOperations } from './orders/under-way/operations.ts';
import { noteOperations } from './orders/notes/operations.ts';
import { kitOperations } from './orders/testkit/kit-operations.ts';
import { orderOperations } from './orders/operations.ts';
import { portalOperations } from './portal/operations.ts';
import { locationOperations } from './locations/operations.ts';
import { criticalResultOperations } from './results/critical/operations.ts';
import { trendOperations } from './results/trend/operations.ts';
import { resultOperations } from './results/operations.ts';
import { unmatchedOperations } from './results/unmatched/operations.ts';
import { managedUnmatchedOperations } from './results/unmatched/management-operations.ts';
import { labReportOperations } from './results/parser/operations.ts';
import { labReportReviewOperations } from './results/parser/review-operations.ts';

/** All operations of the module `labs`, in the order in which the documentation lists them. */
export const labOperations: Operation[] = [
  ...labTestOperations,
  ...compendiumOperations,
  ...orderOperations,
  ...orderUnderWayOperations,
  ...noteOperations,
  ...messageOperations,
  ...locationOperations,
  ...appointmentOperations,
  ...appointmentListOperations,
  ...simulationOperations,
  ...carrierOperations,
  ...schedulerOperations,
  ...resultOperations,
  ...criticalResultOperations,
  ...trendOperations,
  ...fhirOperations,
  ...unmatchedOperations,
  ...documentOperations,
  ...portalOperations,
  ...labReportOperations,
  ...labAccountOperations,
  ...ownTestOperations,
  ...kitOperations,
  ...repairOperations,
  ...managedUnmatchedOperations,
  ...labReportReviewOperations,
];
