import { Type, type Static } from 'typebox';
import { CHARSETS } from '@phial/hl7/encoding';
import { oneOf } from '../../../../wire/schema.ts';
import { LENGTHS } from '../../../orders/pre-flight.ts';

const Path = Type.String({ minLength: 1, maxLength: 1_000, pattern: '^/' });
const Name = Type.String({ minLength: 1, maxLength: 180 });
/** An identifier type of HL7 table 0203, such as `MR` for a medical record number. */
const IdentifierType = Type.String({ pattern: '^[A-Z0-9]{1,5}$' });
const Network = Type.String({ minLength: 3, maxLength: 50 });

const Tls = Type.Object(
  {
    ca_file: Type.Optional({
      ...Path,
      description: 'The certificate authorities to trust, in PEM. Default: the list of Node.',
    }),
    certificate_file: Type.Optional({ ...Path, description: 'Our certificate, for a laboratory that asks for one.' }),
    key_file: Type.Optional(Path),
    server_name: Type.Optional(Name),
  },
  { additionalProperties: false },
);

/**
 * The most characters that a laboratory accepts in a field: in texts of orders, and in the numbers that we issue. We
 * refuse a longer text and never cut it.
 */
export const USUAL_LENGTHS = { ...LENGTHS, order_number: 22, sample_id: 22 } as const;
export type LengthName = keyof typeof USUAL_LENGTHS;

/** The settings of a connection: a part of the file that `phial lab connect` reads. */
export const Settings = Type.Object(
  {
    time_zone: { ...Name, description: 'IANA time zone of times in its messages that have no offset.' },
    charset: Type.Optional(oneOf(CHARSETS, { default: 'UTF-8' })),
    application: { ...Name, description: 'MSH-3 of its messages.' },
    facility: { ...Name, description: 'MSH-4 of its messages.' },
    our_application: Type.Optional(Name),
    account_number: Type.Optional({
      ...Name,
      description: 'The account of orders of teams that have no lab account of their own at this laboratory.',
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
        description: 'The flags of this laboratory that mean critical, such as HU.',
      }),
    ),
    orders: Type.Object(
      {
        message: Type.Optional(oneOf(['OML^O21', 'ORM^O01'], { default: 'OML^O21' })),
        acknowledgments: Type.Optional(
          oneOf(['original', 'enhanced'], {
            default: 'original',
            description:
              'enhanced: it answers CA when it has stored a message, and sends the outcome later as a message to us.',
          }),
        ),
        version: Type.Optional(
          oneOf(['2.3', '2.3.1', '2.4', '2.5', '2.5.1'], { default: '2.5.1', description: 'MSH-12 of our messages.' }),
        ),
        account_field: Type.Optional(
          oneOf(['MSH-4', 'PID-18', 'ORC-21'], {
            default: 'MSH-4',
            description:
              'The field of the account in orders. Results have it in the same field, but in MSH-6 instead of MSH-4.',
          }),
        ),
        our_facility: Type.Optional({ ...Name, description: 'MSH-4, if the account is in another field.' }),
        identifiers: Type.Optional(
          Type.Object(
            {
              authority: Type.Optional({ ...Name, description: 'PID-3.4. Default: PHIAL.' }),
              patient: Type.Optional({ ...IdentifierType, default: 'PI', description: 'PID-3.5.' }),
              physician: Type.Optional({ ...IdentifierType, default: 'NPI', description: 'ORC-12.13 and OBR-16.13.' }),
              account: Type.Optional({ ...IdentifierType, default: 'AN', description: 'PID-18.5 and ORC-21.7.' }),
            },
            { additionalProperties: false },
          ),
        ),
        one_message_per_test: Type.Optional(
          Type.Boolean({ default: false, description: 'It accepts only one test per message.' }),
        ),
        mllp: Type.Optional(
          Type.Object(
            {
              host: Name,
              port: Type.Integer({ minimum: 1, maximum: 65_535 }),
              networks: Type.Array(Network, {
                minItems: 1,
                maxItems: 20,
                description: 'The networks of the host, such as 10.20.0.0/16. We connect to no other address.',
              }),
              tls: Type.Optional(Tls),
              answer_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 300, default: 30 })),
            },
            { additionalProperties: false },
          ),
        ),
        folder: Type.Optional({ ...Path, description: 'The folder for order files, instead of MLLP.' }),
      },
      { additionalProperties: false },
    ),
    results: Type.Object(
      {
        networks: Type.Optional(Type.Array(Network, { maxItems: 20 })),
        certificate_sha256: Type.Optional(
          Type.String({
            pattern: '^([0-9A-F]{2}:){31}[0-9A-F]{2}$',
            description: 'Fingerprint of the client certificate that it must show.',
          }),
        ),
        folder: Type.Optional({ ...Path, description: 'The folder where its result files appear.' }),
        documents: Type.Optional(
          oneOf(['serve', 'leave_out'], {
            default: 'serve',
            description: 'Whether we serve a PDF in a result as the report.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;
