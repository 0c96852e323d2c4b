import type { Ctx, TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { findLab } from '../../catalogue/labs.ts';
import type { LoadedOrder } from '../load.ts';

export type OrderLab = LoadedOrder['lab'] & { collection_methods: string[] };

/** What a laboratory takes of orders. Throws not_found. */
export async function findOrderLab(ctx: TeamCtx, id: number): Promise<OrderLab> {
  return (await findLab(ctx, id)) as OrderLab;
}

/** Simulated laboratories serve sandboxes only. Throws laboratory_not_connected. */
export function refuseUnlessConnected(
  { config }: Pick<Ctx, 'config'>,
  { connection }: Pick<OrderLab, 'connection'>,
): void {
  if (connection !== 'simulated' || config.environment === 'sandbox') return;
  throw new AppError(
    'laboratory_not_connected',
    'The laboratory of this lab test is not connected to this deployment.',
  );
}

/** Throws state_not_served. */
export function refuseUnlessServed({ states }: Pick<OrderLab, 'states'>, state: string): void {
  if (states === null || states.includes(state)) return;
  throw new AppError('state_not_served', `The laboratory serves no patients in ${state}.`);
}
