import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { findLab } from '../../catalogue/labs.ts';
import type { LoadedOrder } from '../load.ts';

export type OrderLab = LoadedOrder['lab'] & { collection_methods: string[] };

/** What a laboratory takes of orders. Throws not_found. */
export async function findOrderLab(ctx: TeamCtx, id: number): Promise<OrderLab> {
  return (await findLab(ctx, id)) as OrderLab;
}

/** Throws state_not_served. */
export function refuseUnlessServed({ states }: Pick<OrderLab, 'states'>, state: string): void {
  if (states === null || states.includes(state)) return;
  throw new AppError('state_not_served', `The laboratory serves no patients in ${state}.`);
}
