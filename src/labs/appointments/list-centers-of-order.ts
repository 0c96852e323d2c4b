import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { loadOrder } from '../orders/load.ts';
import type { CentersInfo, CentersOfOrderQuery } from '../places/schemas.ts';
import { listServiceCenters } from '../places/service-centers.ts';

/** Where the laboratory of an order takes samples around its patient's address. */
export async function listCentersOfOrder(
  ctx: TeamCtx,
  orderId: string,
  { radius, capabilities }: Static<typeof CentersOfOrderQuery>,
): Promise<CentersInfo> {
  const { row, labTest } = await loadOrder(ctx, orderId);
  if (!row.patient_address) {
    throw new AppError('patient_address_missing', 'Nothing is known yet of where the patient of this order lives.');
  }
  if (!labTest.lab) throw notFound('Laboratory');
  const zip_code = row.patient_address.zip.slice(0, 5);
  return listServiceCenters(ctx, { zip_code, lab_id: labTest.lab.id, radius, capabilities });
}
