// The couriers that transport kits. The name of a courier may be any text. We recognise five couriers by the beginning
// of the name.

/** A courier that we recognise. Its name always begins with its slug. */
type Courier = { slug: string; url: (number: string) => string };

const COURIERS: readonly Courier[] = [
  { slug: 'usps', url: (number) => `https://tools.usps.com/go/TrackConfirmAction?tLabels=${number}` },
  {
    slug: 'ups',
    url: (number) => `https://wwwapps.ups.com/WebTracking/track?track=yes&trackNums=${number}`,
  },
  {
    slug: 'fedex',
    url: (number) => `https://www.fedex.com/apps/fedextrack/?tracknumbers=${number}`,
  },
  {
    slug: 'dhl',
    url: (number) => `https://www.dhl.com/en/express/tracking.html?brand=DHL&AWB=${number}`,
  },
  { slug: 'ontrac', url: (number) => `https://www.ontrac.com/tracking/?number=${number}` },
];

/** The slugs of the couriers. Each courier sends its scans to a URL that ends with its slug. */
export const COURIER_SLUGS: readonly string[] = COURIERS.map(({ slug }) => slug);

const knownOf = (name: string): Courier | undefined => {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  return COURIERS.find(({ slug }) => letters.startsWith(slug));
};

/**
 * Returns the slug with which the courier's name begins: `ups` for UPSDAP, `fedex` for FedEx Ground. Returns `other`
 * for a name that begins with none.
 */
export const courierOf = (name: string): string => knownOf(name)?.slug ?? 'other';

/** Returns the URL at which the courier shows the state of a parcel. Returns null for an unknown courier. */
export const trackingUrl = (courier: string, number: string): string | null =>
  knownOf(courier)?.url(encodeURIComponent(number)) ?? null;
