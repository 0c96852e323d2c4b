import { Type, type Static } from 'typebox';
import { oneOf } from '../../../../wire/schema.ts';
import { LENGTHS } from '../../../orders/pre-flight.ts';
import { CHARSETS } from '../codec/encoding.ts';

const Path = Type.String({ minLength: 1, maxLength: 1_000, pattern: '^/' });
const Name = Type.String({ minLength: 1, maxLength: 180 });
const Network = Type.String({ minLength: 3, maxLength: 50 });

const Tls = Type.Object(
  {
    ca_file: Type.Optional({ ...Path, description: 'Whom to trust, in PEM; left out, the list of Node.' }),
    certificate_file: Type.Optional({ ...Path, description: 'Ours, for a laboratory that asks for one.' }),
    key_file: Type.Optional(Path),
    server_name: Type.Optional(Name),
  },
  { additionalProperties: false },
);

/**
 * How many characters a laboratory takes: as the pre-flight of orders has them, and of the numbers that are issued here; what is longer is refused, never cut.
 */
export const USUAL_LENGTHS = { ...LENGTHS, order_number: 22, sample_id: 22 } as const;
export type LengthName = keyof typeof USUAL_LENGTHS;

/** How one laboratory is spoken to: part of what `phial lab connect` reads. */
export const Settings = Type.Object(
  {
    time_zone: { ...Name, description: 'IANA name of the zone of its times that bring none.' },
    charset: Type.Optional(oneOf(CHARSETS, { default: 'UTF-8' })),
    application: { ...Name, description: 'What it calls itself: MSH-3 of its messages.' },
    facility: { ...Name, description: 'MSH-4 of its messages.' },
    our_application: Type.Optional(Name),
    account_number: Type.Optional({
      ...Name,
      description: 'Of orders of teams without a lab account of their own at this laboratory.',
    }),
    lengths: Type.Optional(
      Type.Unsafe<Partial<Record<LengthName, number>>>({
        type: 'object',
        propertyNames: { enum: Object.keys(USUAL_LENGTHS) },
        additionalProperties: { type: 'integer', minimum: 1, maximum: 65_536 },
      }),
    ),
    critical_flags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 5 }), {
        maxItems: 10,
        description: 'Flags of its own that it means as critical, as HU.',
      }),
    ),
    orders: Type.Object(
      {
        message: Type.Optional(oneOf(['OML^O21', 'ORM^O01'], { default: 'OML^O21' })),
        mllp: Type.Optional(
          Type.Object(
            {
              host: Name,
              port: Type.Integer({ minimum: 1, maximum: 65_535 }),
              networks: Type.Array(Network, {
                minItems: 1,
                maxItems: 20,
                description: 'Addresses that the host may have, as 10.20.0.0/16: nothing else is connected to.',
              }),
              tls: Type.Optional(Tls),
              answer_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 300, default: 30 })),
            },
            { additionalProperties: false },
          ),
        ),
        folder: Type.Optional({ ...Path, description: 'Where order files are put, instead of MLLP.' }),
      },
      { additionalProperties: false },
    ),
    results: Type.Object(
      {
        networks: Type.Optional(Type.Array(Network, { maxItems: 20 })),
        certificate_sha256: Type.Optional(
          Type.String({
            pattern: '^([0-9A-F]{2}:){31}[0-9A-F]{2}$',
            description: 'Fingerprint of the client certificate that it has to show.',
          }),
        ),
        folder: Type.Optional({ ...Path, description: 'Where its result files appear.' }),
        documents: Type.Optional(
          oneOf(['serve', 'leave_out'], {
            default: 'serve',
            description: 'Whether a PDF that comes with a result is served as its report.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;
