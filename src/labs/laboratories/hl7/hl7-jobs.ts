import { demoReport } from './demo/report-result.ts';
import { inboxOfLaboratories } from './inbox/apply-waiting.ts';
import { ordersOut, ordersOutResumption } from './outbox/send-orders.ts';

/** The jobs of laboratories that are connected by HL7. */
export const hl7Jobs = [ordersOut, ordersOutResumption, inboxOfLaboratories, demoReport];
