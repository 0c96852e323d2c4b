import type { Static } from 'typebox';
import type { Marker, MarkerPricing } from './schemas.ts';

type Priced = Pick<Static<typeof Marker>, 'id' | 'price'>;

/**
 * What each marker costs alone, in cents; no price depends on a state or on a reflex. Under an account of an organisation
 * its contract with the laboratory says the price, which is not known here.
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
