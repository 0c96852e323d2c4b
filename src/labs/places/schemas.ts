import { Type, type Static } from 'typebox';
import { nullable, NumericId, oneOf, Uuid, withDefault, WordFilter } from '../../wire/schema.ts';

const LAB_LOCATION_CAPABILITIES = [
  'stat',
  'appointment_scheduling_via_junction',
  'appointment_scheduling_with_lab',
] as const;

/** Clients of other deployments of this interface know `appointment_with_service` by the word of theirs. */
const APPOINTMENT_WITH_WORD = '^appointment_with_(?!service$)[a-z0-9][a-z0-9_]*$';

/** Five digits: what distances are told from. */
export const ZipCode = Type.String({ maxLength: 5, pattern: '^\\d{5}$', description: 'Zip code, five digits.' });

const RADII = [10, 20, 25, 50, 100] as const;

/** How far around a zip code, in miles. */
export const AllowedRadius = withDefault(
  Type.Unsafe<(typeof RADII)[number]>({ type: 'integer', enum: [...RADII], description: 'How far around, in miles.' }),
  25,
);

const capabilities = Type.Optional(
  Type.Array(WordFilter(), { maxItems: 10, description: 'Places that have all of these.' }),
);
const lab_account_id = Type.Optional({
  ...Uuid,
  description: 'One of the lab accounts of the team; tells of its laboratory alone.',
});

export const AreaQuery = Type.Object({
  zip_code: ZipCode,
  radius: AllowedRadius,
  lab: Type.Optional(
    WordFilter({ description: 'Short name of a laboratory, or of who books at its service centers.' }),
  ),
  labs: Type.Optional(Type.Array(WordFilter(), { maxItems: 20, description: 'The same for several.' })),
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

export const LngLat = Type.Object({
  lng: Type.Number({ minimum: -180, maximum: 180 }),
  lat: Type.Number({ minimum: -90, maximum: 90 }),
});

const Capability = oneOf(LAB_LOCATION_CAPABILITIES);
const BillTypes = Type.Array(Type.String(), { description: 'How orders can be billed there.' });

export const ServiceCenter = Type.Object({
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
        Type.Record(Type.String(), Type.Unknown(), { description: 'When it is open, as the laboratory tells it.' }),
      ),
    },
    { description: 'What it is called and where it is.' },
  ),
  distance: Type.Integer({ description: 'Miles from the main town of the zip code, as the crow flies; approximate.' }),
  site_code: Type.String(),
  supported_bill_types: BillTypes,
  location: LngLat,
  capabilities: Type.Array(Capability, { description: 'What can be done there.' }),
});

export const CentersInfo = Type.Object({
  lab_id: Type.Integer(),
  slug: Type.String({ description: 'Short name of the laboratory.' }),
  patient_service_centers: Type.Array(ServiceCenter, { description: 'The nearest first, at most 200.' }),
});
export type CentersInfo = Static<typeof CentersInfo>;

export const AreaInfo = Type.Object({
  zip_code: Type.String(),
  phlebotomy: Type.Object(
    {
      is_served: Type.Boolean({ description: 'Whether somebody comes to patients there.' }),
      providers: Type.Array(
        Type.Object({
          name: Type.String({ description: 'Who comes.' }),
          service_types: Type.Array(oneOf(['appointment-ready', 'appointment-request']), {
            description:
              'appointment-ready: slots can be booked. appointment-request: a time is asked for and confirmed later.',
          }),
        }),
        { description: 'Who comes there.' },
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
          within_radius: Type.Integer({ description: 'How many places there are within the radius.' }),
          radius: Type.String({ description: 'The radius in miles.' }),
          capabilities: Type.Array(Capability, { description: 'What can be done at one of them at least.' }),
        },
        {
          description:
            'Where samples are taken. A client that sends its key as x-<word>-api-key finds `appointment_with_<word>` too, ' +
            'with the value of `appointment_with_service`; of a hyphen in the word an underscore is made.',
          patternProperties: { [APPOINTMENT_WITH_WORD]: Type.Boolean() },
        },
      ),
      supported_bill_types: BillTypes,
      lab_id: Type.Integer(),
    }),
    { description: 'By short name of the laboratory: those that take samples at places of their own.' },
  ),
});
export type AreaInfo = Static<typeof AreaInfo>;
