import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { OrderRules } from '../pre-flight.ts';
import type { LabConnection } from '../send-out.ts';

export type Lab = {
  connection: LabConnection;
  collection_methods: string[];
  /** Whose patients it serves; null: everybody. */
  states: string[] | null;
  order_rules: OrderRules;
};

/** What a laboratory takes. */
export async function findLab(ctx: TeamCtx, id: number): Promise<Lab> {
  const { rows } = await sql<Lab>`
    select connection, collection_methods, states, order_rules from labs where id = ${id}`.execute(ctx.db);
  return rows[0] as Lab;
}

/** Throws state_not_served. */
export function refuseUnlessServed({ states }: Lab, state: string): void {
  if (states === null || states.includes(state)) return;
  throw new AppError('state_not_served', `The laboratory serves no patients in ${state}.`);
}
