import type { Static } from 'typebox';
import type { Marker, MarkerPricing } from './schemas.ts';

type Priced = Pick<Static<typeof Marker>, 'id' | 'price'>;

/** What each marker costs alone, in cents; no price depends on a state or on a reflex. */
export function priceMarkers(markers: Priced[]): Static<typeof MarkerPricing> {
  return {
    currency: 'USD',
    data: Object.fromEntries(
      markers.map(({ id, price }) => [
        id,
        price === null
          ? { unspecified: 'price_unavailable' }
          : { base_amount_minor: Math.round(Number(price) * 100), modifiers: null },
      ]),
    ),
  };
}
