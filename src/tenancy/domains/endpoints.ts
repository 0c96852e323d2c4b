import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { Uuid } from '../../wire/schema.ts';
import { Done } from '../schemas.ts';
import { createDomain } from './create.ts';
import { deleteDomain } from './delete.ts';
import { findDomain } from './find.ts';
import { toDomain } from './render.ts';
import { listDomains } from './list.ts';
import { sendInstructions } from './send-instructions.ts';
import {
  OrgDomain,
  OrgDomainInput,
  OrgDomainInstructions,
  OrgDomainInstructionsInput,
  OrgDomainList,
  OrgDomainVerification,
} from './schemas.ts';
import { verifyDomain } from './verify.ts';

const management = { tag: 'domains', auth: 'management_key', scope: 'org' } as const;
const domains = '/v1/org/{org_id}/domain';
const domain = `${domains}/{domain_id}`;
const ofOrg = Type.Object({ org_id: Uuid });
const ofDomain = Type.Object({ org_id: Uuid, domain_id: Uuid });

export const domainEndpoints = [
  endpoint({
    ...management,
    id: 'list_domains',
    method: 'GET',
    path: domains,
    params: ofOrg,
    response: OrgDomainList,
    summary: 'List the domains of an organisation',
    description: 'In the order they were added.',
    handle: async (ctx) => ({ data: (await listDomains(ctx)).map(toDomain) }),
  }),
  endpoint({
    ...management,
    id: 'create_domain',
    method: 'POST',
    path: domains,
    params: ofOrg,
    body: OrgDomainInput,
    response: OrgDomain,
    status: 201,
    summary: 'Add a domain',
    description:
      'It is verified once the record of `dns_records` stands in its DNS. A domain that the organisation has already is 409 ' +
      'domain_exists; other organisations may add the same one, with a record of their own.',
    refusals: ['limit_reached', 'domain_exists'],
    handle: async (ctx, { body }) => toDomain(await createDomain(ctx, body.domain)),
  }),
  endpoint({
    ...management,
    id: 'get_domain',
    method: 'GET',
    path: domain,
    params: ofDomain,
    response: OrgDomain,
    summary: 'Read a domain',
    handle: async (ctx, { params }) => toDomain(await findDomain(ctx, params.domain_id)),
  }),
  endpoint({
    ...management,
    id: 'delete_domain',
    method: 'DELETE',
    path: domain,
    params: ofDomain,
    response: Done,
    summary: 'Take a domain away',
    description: 'Added again, it is to be verified again, by another record.',
    handle: async (ctx, { params }) => {
      await deleteDomain(ctx, params.domain_id);
      return { success: true };
    },
  }),
  endpoint({
    ...management,
    id: 'verify_domain',
    method: 'POST',
    path: `${domain}/verify`,
    params: ofDomain,
    response: OrgDomainVerification,
    waits: true,
    summary: 'Look whether a domain is yours',
    description:
      'Asks the DNS for the record, for some seconds at most. Once verified, a domain stays so until it is taken away.',
    handle: async (ctx, { params }) => ({ status: await verifyDomain(ctx, params.domain_id) }),
  }),
  endpoint({
    ...management,
    id: 'send_domain_instructions',
    method: 'POST',
    path: `${domain}/send_domain_instructions`,
    params: ofDomain,
    body: OrgDomainInstructionsInput,
    response: OrgDomainInstructions,
    summary: 'Mail what to add to the DNS of a domain',
    description:
      'To whoever looks after it. Where the deployment has no mail server, `sent` is false and the mail waits; `dns_records` ' +
      'says the same. An organisation sends 10 mails a day to one address, and 500 in all.',
    refusals: ['limit_reached', 'too_many_mails'],
    handle: async (ctx, { params, body }) => ({
      sent: await sendInstructions(ctx, params.domain_id, body.to_email),
      sendgrid_message_id: null,
    }),
  }),
];
