import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { loadOrder } from '../orders/load-order.ts';
import type { CentersInfo, CentersOfOrderQuery } from '../locations/schemas.ts';
import { listServiceCenters } from '../locations/service-centers.ts';

/** Lists the service centers of an order's laboratory that are near the patient's address. */
export async function listCentersOfOrder(
  ctx: TeamCtx,
  orderId: string,
  { radius, capabilities }: Static<typeof CentersOfOrderQuery>,
): Promise<CentersInfo> {
  const { row, labTest } = await loadOrder(ctx, orderId);
  if (!row.patient_address) {
    throw new AppError(
      'patient_address_missing',
      'The service does not know yet where the patient of this order lives.',
    );
  }
  if (!labTest.lab) throw notFound('Laboratory');
  const zip_code = row.patient_address.zip.slice(0, 5);
  return listServiceCenters(ctx, { zip_code, lab_id: labTest.lab.id, radius, capabilities });
}
