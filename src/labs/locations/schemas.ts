import { Type, type Static } from 'typebox';
import { nullable, NumericId, oneOf, Uuid, withDefault, WordFilter } from '../../wire/schema.ts';
import { named, shape } from '../../wire/shape.ts';

const LAB_LOCATION_CAPABILITIES = [
  'stat',
  'appointment_scheduling_via_junction',
  'appointment_scheduling_with_lab',
] as const;

/**
 * Matches other names of the field `appointment_with_service`. Some clients were written for another service with the
 * same API. That service has its own name in place of the word `service`. For such a client, the response contains the
 * field a second time, under that other name.
 */
const APPOINTMENT_WITH_WORD = '^appointment_with_(?!service$)[a-z0-9][a-z0-9_]*$';

/** A zip code of five digits. The service computes distances from it. */
export const ZipCode = Type.String({ maxLength: 5, pattern: '^\\d{5}$', description: 'Zip code, five digits.' });

const RADII = [10, 20, 25, 50, 100] as const;

/** The radius around a zip code, in miles. */
export const AllowedRadius = named(
  'AllowedRadius',
  withDefault(
    Type.Unsafe<(typeof RADII)[number]>({ type: 'integer', enum: [...RADII], description: 'The radius, in miles.' }),
    25,
  ),
);

const capabilities = Type.Optional(
  Type.Array(WordFilter(), { maxItems: 10, description: 'Only sites that have all of these capabilities.' }),
);
const lab_account_id = Type.Optional({
  ...Uuid,
  description: 'One of the lab accounts of the team: only its laboratory.',
});

export const AreaQuery = Type.Object({
  zip_code: ZipCode,
  radius: AllowedRadius,
  lab: Type.Optional(
    WordFilter({ description: 'Short name of a laboratory, or of the provider that books at its service centers.' }),
  ),
  labs: Type.Optional(Type.Array(WordFilter(), { maxItems: 20, description: 'Several short names.' })),
  lab_account_id,
});

export const CentersQuery = Type.Object({
  zip_code: ZipCode,
  lab_id: NumericId,
  radius: AllowedRadius,
  capabilities,
  lab_account_id,
});

export const CentersOfOrderQuery = Type.Object({ radius: AllowedRadius, capabilities });

export const LngLat = shape('LngLat', {
  lng: Type.Number({ minimum: -180, maximum: 180 }),
  lat: Type.Number({ minimum: -90, maximum: 90 }),
});

const Capability = oneOf(LAB_LOCATION_CAPABILITIES);
const BillTypes = Type.Array(Type.String(), { description: 'How orders can be billed there.' });

export const ServiceCenter = shape('ServiceCenter', {
  metadata: Type.Object(
    {
      name: Type.String(),
      state: Type.String(),
      city: Type.String(),
      zip_code: Type.String(),
      first_line: Type.String(),
      second_line: nullable(Type.String()),
      phone_number: nullable(Type.String()),
      fax_number: nullable(Type.String()),
      hours: nullable(
        Type.Record(Type.String(), Type.Unknown(), { description: 'The opening hours, as the laboratory gives them.' }),
      ),
    },
    { description: 'Name and address of the site.' },
  ),
  distance: Type.Integer({ description: 'Miles from the main town of the zip code, as the crow flies; approximate.' }),
  site_code: Type.String(),
  supported_bill_types: BillTypes,
  location: LngLat,
  capabilities: Type.Array(Capability, { description: 'The capabilities of the site.' }),
});

export const CentersInfo = shape('CentersInfo', {
  lab_id: Type.Integer(),
  slug: Type.String({ description: 'Short name of the laboratory.' }),
  patient_service_centers: Type.Array(ServiceCenter, { description: 'The nearest first, at most 200.' }),
});
export type CentersInfo = Static<typeof CentersInfo>;

export const AreaInfo = shape('AreaInfo', {
  zip_code: Type.String(),
  phlebotomy: Type.Object(
    {
      is_served: Type.Boolean({ description: 'Whether a provider visits patients there.' }),
      providers: Type.Array(
        Type.Object({
          name: Type.String({ description: 'Name of the provider.' }),
          service_types: Type.Array(oneOf(['appointment-ready', 'appointment-request']), {
            description:
              'appointment-ready: slots can be booked. appointment-request: the client requests a visit, and the ' +
              'provider confirms a time later.',
          }),
        }),
        { description: 'The providers that visit patients there.' },
      ),
    },
    { description: 'Blood draws at home.' },
  ),
  central_labs: Type.Record(
    Type.String(),
    Type.Object({
      patient_service_centers: Type.Object(
        {
          appointment_with_service: Type.Boolean({
            description: 'Whether appointments can be booked through this service.',
          }),
          within_radius: Type.Integer({ description: 'The number of sites within the radius.' }),
          radius: Type.String({ description: 'The radius in miles.' }),
          capabilities: Type.Array(Capability, { description: 'The capabilities of at least one of the sites.' }),
        },
        {
          description:
            'Where samples are taken. A client that sends its key as x-<word>-api-key also gets ' +
            '`appointment_with_<word>`, with the value of `appointment_with_service`; a hyphen in the word becomes ' +
            'an underscore.',
          patternProperties: { [APPOINTMENT_WITH_WORD]: Type.Boolean() },
        },
      ),
      supported_bill_types: BillTypes,
      lab_id: Type.Integer(),
    }),
    { description: 'By short name: the laboratories that have sites of their own.' },
  ),
});
export type AreaInfo = Static<typeof AreaInfo>;
