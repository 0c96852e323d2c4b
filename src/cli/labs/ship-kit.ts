import { AppError } from '../../errors.ts';
import { isSameParcel, isTrackingNumber, NUMBER_WORDS, shipmentOf } from '../../labs/orders/testkit/parcels.ts';
import { shipKit } from '../../labs/orders/testkit/ship-kit.ts';
import { UsageError } from '../command.ts';
import { printDone } from '../print.ts';
import { withChange } from '../with-change.ts';

type Shipped = {
  team: string;
  order: string;
  outbound: string | undefined;
  inbound: string | undefined;
  courier: string | undefined;
  json: boolean;
};

export async function shipKitCommand({
  team,
  order,
  outbound,
  inbound,
  courier = undefined,
  json,
}: Shipped): Promise<number> {
  if (outbound === undefined && inbound === undefined)
    throw new UsageError('phial lab ship-kit takes --outbound or --inbound, or both.');
  const parcels = shipmentOf({
    outbound: outbound === undefined ? undefined : numberOf('outbound', outbound),
    inbound: inbound === undefined ? undefined : numberOf('inbound', inbound),
    courier,
  });
  if (outbound !== undefined && inbound !== undefined && isSameParcel(outbound, inbound))
    throw new UsageError(
      'phial lab ship-kit takes two different numbers, because the way there and the way back are two parcels.',
    );
  try {
    return await withChange('lab ship-kit', async (ctx) => {
      const { org_id } = await shipKit(ctx, { team_id: team, order_id: order }, parcels);
      const said = 'Updates about these numbers now advance the order of the kit.';
      const printResult = (): void => printDone(json, said, { order_id: order, outbound, inbound });
      return { org_id, team_id: team, records: [order], printResult };
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    console.error(error.message);
    return 1;
  }
}

function numberOf(flag: string, text: string): string {
  const number = text.trim();
  if (!isTrackingNumber(number)) throw new UsageError(`phial lab ship-kit takes ${NUMBER_WORDS}, as --${flag}.`);
  return number;
}
