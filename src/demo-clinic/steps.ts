import type { TeamCtx, TxCtx } from '../context.ts';
import { addEndpoints } from './endpoints.ts';
import { addPerson } from './add-person.ts';
import { breakConnections } from './connections.ts';
import { orderByHl7 } from './hl7-orders.ts';
import { addMembers } from './members.ts';
import { PEOPLE } from './people.ts';

type Step = {
  /** What the step makes, for a person who waits. */
  words: string;
  run: (tx: TxCtx<TeamCtx>) => Promise<void>;
  /** True if it is skipped unless the caller who asked for the clinic may add members to the organisation. */
  addsMembers?: true;
};

/**
 * The steps of a demo clinic. Each is a transaction of its own, which makes all of a person or nothing. The endpoints
 * come first, so that they get the events of everything else.
 */
export const STEPS: readonly Step[] = [
  { words: 'Two endpoints for webhooks', run: addEndpoints },
  ...PEOPLE.map((_, n) => ({
    words: `Person ${n + 1} of ${PEOPLE.length}, with orders and results`,
    run: (tx: TxCtx<TeamCtx>) => addPerson(tx, n),
  })),
  { words: 'Orders at a laboratory that speaks HL7', run: orderByHl7 },
  { words: 'Members of the team, and an invite', run: addMembers, addsMembers: true },
  { words: 'A paused connection and one in error', run: breakConnections },
];
