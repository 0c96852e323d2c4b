import { Type } from 'typebox';
import { Email } from '../../wire/person.ts';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';

export const OrgDomainInput = Type.Object({
  domain: Type.String({ format: 'domain-name', description: 'The domain, as example.com.' }),
});
export const OrgDomain = Type.Object({
  id: Uuid,
  domain: Type.String({ description: 'In lower case, with international letters as xn--.' }),
  is_verified: Type.Boolean({ description: 'Whether its DNS has shown once that it is yours.' }),
  created_on: Timestamp,
  dns_records: nullable(
    Type.Array(
      Type.Object({
        type: Type.String({ description: 'Kind of the record: TXT.' }),
        name: Type.String({ description: 'Where it stands.' }),
        value: Type.String({ description: 'What it says.' }),
      }),
      { description: 'What has to stand in the DNS of the domain for that.' },
    ),
  ),
});
export const OrgDomainList = Type.Object({ data: Type.Array(OrgDomain) });
export const OrgDomainVerification = Type.Object({
  status: oneOf(['verified', 'pending'], {
    description: 'pending: the record is not there, or no name server answered; ask again later.',
  }),
});
export const OrgDomainInstructionsInput = Type.Object({
  to_email: Type.Unsafe<string>({ ...Email, description: 'Who looks after the DNS of the domain.' }),
});
export const OrgDomainInstructions = Type.Object({
  sent: Type.Boolean({
    description: 'Whether the mail is on its way; false where the deployment has no mail server yet.',
  }),
  sendgrid_message_id: nullable(
    Type.String({ description: 'Always null: mail goes by the server of the deployment.' }),
  ),
});
