import type { Identifier } from 'fhir/r4.js';
import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';

type Kind = 'placer' | 'filler' | 'accession';
export type OrderNumbers = { kind: Kind; number: string }[];

/**
 * The code of each kind of number in HL7 table 0203. The placer number is ours. The filler number and the accession
 * number are the laboratory's.
 */
const TYPES: Readonly<Record<Kind, string>> = { placer: 'PLAC', filler: 'FILL', accession: 'ACSN' };

/** Returns the numbers of an order: those that we issued for the laboratory, and those that the laboratory reported. */
export async function numbersOf(ctx: TeamCtx, { row }: LoadedOrder): Promise<OrderNumbers> {
  const { rows } = await sql<OrderNumbers[number]>`
    select 'placer' as kind, number from order_numbers
     where user_id = ${row.user_id} and order_id = ${row.id} and team_id = ${ctx.team.id}
     union all
    select kind, number from laboratory_numbers
     where user_id = ${row.user_id} and order_id = ${row.id} and team_id = ${ctx.team.id}
     order by kind, number limit 250`.execute(ctx.db);
  return rows;
}

export const identifiersOf = (numbers: OrderNumbers, ...kinds: Kind[]): Identifier[] =>
  numbers.filter(({ kind }) => kinds.includes(kind)).map(({ kind, number }) => identifierOf(TYPES[kind], number));

const identifierOf = (code: string, value: string): Identifier => ({
  type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code }] },
  value,
});
