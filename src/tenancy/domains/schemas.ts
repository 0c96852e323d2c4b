import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';

export const OrgDomainInput = shape('OrgDomainInput', {
  domain: Type.String({ format: 'domain-name', description: 'The domain, such as example.com.' }),
});
export const OrgDomain = shape('OrgDomain', {
  id: Uuid,
  domain: Type.String({ description: 'In lower case, with international letters as xn--.' }),
  is_verified: Type.Boolean({ description: 'True when the DNS has shown once that the domain is yours.' }),
  created_on: Timestamp,
  dns_records: nullable(
    Type.Array(
      Type.Object({
        type: Type.String({ description: 'The type of the record: TXT.' }),
        name: Type.String({ description: 'The name of the record.' }),
        value: Type.String({ description: 'The value of the record.' }),
      }),
      { description: 'The records that the DNS needs so that the domain can be verified.' },
    ),
  ),
});
export const OrgDomainList = shape('OrgDomainList', { data: Type.Array(OrgDomain) });
export const OrgDomainVerification = shape('OrgDomainVerification', {
  status: oneOf(['verified', 'pending'], {
    description: 'pending: the record is missing, or no name server answered. Try again later.',
  }),
});
export const OrgDomainInstructionsInput = shape('OrgDomainInstructionsInput', {
  to_email: Type.Unsafe<string>({
    ...Email,
    description: 'The address of the person who manages the DNS of the domain.',
  }),
});
export const OrgDomainInstructions = shape('OrgDomainInstructions', {
  sent: Type.Boolean({
    description: 'True when the mail is being sent. False when the deployment has no mail server yet.',
  }),
  sendgrid_message_id: nullable(
    Type.String({ description: "Always null: the deployment's own server sends the mail." }),
  ),
});
