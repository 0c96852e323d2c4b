import { Type } from 'typebox';
import { shape } from '../../../wire/shape.ts';
import type { Requirement } from '../../../wire/rules.ts';
import { COURIER_SLUGS } from './couriers.ts';
import type { ShipmentUpdate } from './store-shipment.ts';

/**
 * A tracking number as people copy it from a label. Carriers' updates about a longer number are refused, and shorter
 * ones are no numbers of carriers.
 */
const NUMBER = '^[A-Za-z0-9](?:[ -]?[A-Za-z0-9])*$';
const NUMBER_PATTERN = new RegExp(NUMBER);
const [SHORTEST, LONGEST] = [6, 100];

/** What a tracking number is, for people. */
export const NUMBER_WORDS = `${SHORTEST} to ${LONGEST} letters and digits, with spaces or hyphens between them`;

export const isTrackingNumber = (text: string): boolean =>
  text.length >= SHORTEST && text.length <= LONGEST && NUMBER_PATTERN.test(text);

const bare = (number: string): string => number.toUpperCase().replaceAll(/[\s-]/g, '');

/** Returns true if both are numbers of the same parcel. The way there and the way back are two parcels. */
export const isSameParcel = (one: string, other: string): boolean => bare(one) === bare(other);

type Parcels = { outbound?: string | undefined; inbound?: string | undefined; courier?: string | null | undefined };

/** Returns the update of a shipment for these parcels. A courier applies to all of them. */
export const shipmentOf = ({ outbound, inbound, courier = null }: Parcels): ShipmentUpdate => ({
  ...(outbound === undefined ? {} : { outbound_tracking_number: outbound, outbound_courier: courier }),
  ...(inbound === undefined ? {} : { inbound_tracking_number: inbound, inbound_courier: courier }),
});

const TWO_PARCELS: Requirement = {
  words: 'At least one number is given, and the two numbers differ.',
  check: ({ outbound_tracking_number: outbound, inbound_tracking_number: inbound }) => {
    const at = ['outbound_tracking_number'];
    if (outbound === undefined && inbound === undefined)
      return [{ at, type: 'value_error', msg: 'Give the number of a parcel' }];
    if (typeof outbound !== 'string' || typeof inbound !== 'string' || !isSameParcel(outbound, inbound)) return [];
    return [{ at: ['inbound_tracking_number'], type: 'value_error', msg: 'The way back is another parcel' }];
  },
};

const TrackingNumber = (description: string) =>
  Type.Optional(Type.String({ minLength: SHORTEST, maxLength: LONGEST, pattern: NUMBER, description }));

export const KitParcels = shape(
  'KitParcels',
  {
    outbound_tracking_number: TrackingNumber('Tracking number of the parcel to the user.'),
    inbound_tracking_number: TrackingNumber('Tracking number of the parcel to the laboratory.'),
    courier: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: [...COURIER_SLUGS],
        description: 'Courier of the parcels. Absent: any carrier.',
      }),
    ),
  },
  { fulfils: TWO_PARCELS },
);

/** The most ids that one request can issue. */
const MAX_KITS = 1_000;

export const KitsInput = shape('KitsInput', {
  count: Type.Integer({ minimum: 1, maximum: MAX_KITS, description: 'Number of kit ids.' }),
});

export const IssuedKits = shape('IssuedKits', {
  sample_ids: Type.Array(Type.String(), { description: 'The ids. A registration of a kit names its id.' }),
});
