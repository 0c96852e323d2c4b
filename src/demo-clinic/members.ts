import type { TeamCtx, TxCtx } from '../context.ts';
import { addInventedMembers } from '../tenancy/members/add-invented.ts';

const MEMBERS = [
  { name: 'Dana Whitfield', email: 'dana.whitfield@example.com' },
  { name: 'Marlon Estevez', email: 'marlon.estevez@example.com' },
];
const INVITED = 'keiko.lindqvist@example.com';

/** Adds the colleagues who work in the clinic. They belong to the organisation, so they stay if the team is deleted. */
export const addMembers = (ctx: TxCtx<TeamCtx>): Promise<void> =>
  addInventedMembers(ctx, { members: MEMBERS, invited: INVITED });
