// Who carries kits. Couriers are told as any text; these five are known by the beginning of their names.

/** Any name of a courier begins with its slug. */
type Known = { slug: string; url: (number: string) => string };

const COURIERS: readonly Known[] = [
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

/** The couriers that a carrier's news can be addressed to by name. */
export const COURIER_SLUGS: readonly string[] = COURIERS.map(({ slug }) => slug);

const knownOf = (name: string): Known | undefined => {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  return COURIERS.find(({ slug }) => letters.startsWith(slug));
};

/** The slug of a courier by any name that begins with it, as UPSDAP or FedEx Ground; `other` for everybody else. */
export const courierOf = (name: string): string => knownOf(name)?.slug ?? 'other';

/** Where the courier shows what it knows of a parcel; null for a courier that is not known. */
export const trackingUrl = (courier: string, number: string): string | null =>
  knownOf(courier)?.url(encodeURIComponent(number)) ?? null;
