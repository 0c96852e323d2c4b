import type { Static } from 'typebox';
import type { Marker, MarkerPricing } from './schemas.ts';

type Priced = Pick<Static<typeof Marker>, 'id' | 'price'>;

/**
 * Returns the price of each marker in cents, as if it were ordered without others. No price depends on a state or a
 * reflex. For an account of an organisation, the price follows from the organisation's contract with the laboratory,
 * which the service does not know.
 */
export function priceMarkers(
  markers: Priced[],
  account: { org_id: string | null } | null,
): Static<typeof MarkerPricing> {
  const ofContract = account !== null && account.org_id !== null;
  return {
    currency: 'USD',
    data: Object.fromEntries(
      markers.map(({ id, price }) => [
        id,
        ofContract
          ? { unspecified: 'refer_to_contract' }
          : price === null
            ? { unspecified: 'price_unavailable' }
            : { base_amount_minor: Math.round(Number(price) * 100), modifiers: null },
      ]),
    ),
  };
}
