import type { Ctx, TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { findLab } from '../../catalogue/labs.ts';
import type { LoadedOrder } from '../load-order.ts';

export type OrderLab = LoadedOrder['lab'] & { collection_methods: string[] };

/** Finds a laboratory with its rules for orders. Throws not_found. */
export async function findOrderLab(ctx: TeamCtx, id: number): Promise<OrderLab> {
  return (await findLab(ctx, id)) as OrderLab;
}

/** Throws laboratory_not_connected for a simulated laboratory outside a sandbox. */
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

/** Throws state_not_served if the laboratory serves no patients in this state. */
export function refuseUnlessServed({ states }: Pick<OrderLab, 'states'>, state: string): void {
  if (states === null || states.includes(state)) return;
  throw new AppError('state_not_served', `The laboratory serves no patients in ${state}.`);
}
