import { AppError } from '../../errors.ts';
import { shipKit } from '../../labs/orders/testkit/ship-kit.ts';
import type { ShipmentUpdate } from '../../labs/orders/testkit/store-shipment.ts';
import { UsageError } from '../command.ts';
import { withChange } from '../with-change.ts';

/**
 * A tracking number as people copy it from a label, with its shortest and longest length. Carriers' updates about a
 * longer number are refused.
 */
const NUMBER = /^[a-z\d](?:[ -]?[a-z\d])*$/i;
const [SHORTEST, LONGEST] = [6, 100];

type Shipped = {
  team: string;
  order: string;
  outbound: string | undefined;
  inbound: string | undefined;
  courier: string | undefined;
};

export async function shipKitCommand({
  team,
  order,
  outbound,
  inbound,
  courier = undefined,
}: Shipped): Promise<number> {
  if (outbound === undefined && inbound === undefined)
    throw new UsageError('phial lab ship-kit takes --outbound or --inbound, or both.');
  const parcels: ShipmentUpdate = {
    ...(outbound === undefined ? {} : { outbound_tracking_number: numberOf('outbound', outbound) }),
    ...(outbound === undefined ? {} : { outbound_courier: courier ?? null }),
    ...(inbound === undefined ? {} : { inbound_tracking_number: numberOf('inbound', inbound) }),
    ...(inbound === undefined ? {} : { inbound_courier: courier ?? null }),
  };
  if (outbound !== undefined && inbound !== undefined && bare(outbound) === bare(inbound))
    throw new UsageError(
      'phial lab ship-kit takes two different numbers, because the way there and the way back are two parcels.',
    );
  try {
    return await withChange('lab ship-kit', async (ctx) => {
      const { org_id } = await shipKit(ctx, { team_id: team, order_id: order }, parcels);
      const printResult = (): void => console.log('Updates about these numbers now advance the order of the kit.');
      return { org_id, team_id: team, records: [order], printResult };
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    console.error(error.message);
    return 1;
  }
}

const bare = (number: string): string => number.toUpperCase().replaceAll(/[\s-]/g, '');

function numberOf(flag: string, text: string): string {
  const number = text.trim();
  if (number.length < SHORTEST || number.length > LONGEST || !NUMBER.test(number))
    throw new UsageError(
      `phial lab ship-kit takes ${SHORTEST} to ${LONGEST} letters and digits, with spaces or hyphens between ` +
        `them, as --${flag}.`,
    );
  return number;
}
