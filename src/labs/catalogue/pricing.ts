import type { Static } from 'typebox';
import type { Marker, MarkerPricing } from './schemas.ts';

type Priced = Pick<Static<typeof Marker>, 'id' | 'price'>;

/**
 * Returns the price in cents that each marker has if it is ordered alone. No price depends on a US state or on a
 * reflex, which is a test that the laboratory adds because of a result. For an account of an organisation, the
 * organisation's contract with the laboratory sets the prices. The service does not know these prices, so each marker
 * then gets `refer_to_contract` instead of a price.
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
