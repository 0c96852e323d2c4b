import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
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

export const domainOperations = [
  operation({
    ...management,
    id: 'list_domains',
    method: 'GET',
    path: domains,
    params: ofOrg,
    response: OrgDomainList,
    summary: 'List the domains of an organisation',
    description: 'Oldest first.',
    handle: async (ctx) => ({ data: (await listDomains(ctx)).map(toDomain) }),
  }),
  operation({
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
      'The domain is verified when its DNS has the record in `dns_records`. A domain that the organisation ' +
      'already has is a 409 domain_exists. Other organisations may add the same domain, and get a record of ' +
      'their own.',
    refusals: ['limit_reached', 'domain_exists'],
    handle: async (ctx, { body }) => toDomain(await createDomain(ctx, body.domain)),
  }),
  operation({
    ...management,
    id: 'get_domain',
    method: 'GET',
    path: domain,
    params: ofDomain,
    response: OrgDomain,
    summary: 'Read a domain',
    handle: async (ctx, { params }) => toDomain(await findDomain(ctx, params.domain_id)),
  }),
  operation({
    ...management,
    id: 'delete_domain',
    method: 'DELETE',
    path: domain,
    params: ofDomain,
    response: Done,
    summary: 'Delete a domain',
    description: 'A domain that is added again must be verified again, with another record.',
    handle: async (ctx, { params }) => {
      await deleteDomain(ctx, params.domain_id);
      return { success: true };
    },
  }),
  operation({
    ...management,
    id: 'verify_domain',
    method: 'POST',
    path: `${domain}/verify`,
    params: ofDomain,
    response: OrgDomainVerification,
    waits: true,
    summary: 'Verify a domain',
    description:
      'Queries the DNS for the record, for a few seconds at most. A verified domain stays verified until it ' +
      'is deleted.',
    handle: async (ctx, { params }) => ({ status: await verifyDomain(ctx, params.domain_id) }),
  }),
  operation({
    ...management,
    id: 'send_domain_instructions',
    method: 'POST',
    path: `${domain}/send_domain_instructions`,
    params: ofDomain,
    body: OrgDomainInstructionsInput,
    response: OrgDomainInstructions,
    summary: 'Send the DNS record of a domain by mail',
    description:
      'For the person who manages the DNS of the domain. If the deployment has no mail server, `sent` is ' +
      'false and the mail waits. `dns_records` contains the same record. An organisation can send 10 mails ' +
      'per day to one address, and 500 in total.',
    refusals: ['limit_reached', 'too_many_mails'],
    handle: async (ctx, { params, body }) => ({
      sent: await sendInstructions(ctx, params.domain_id, body.to_email),
      sendgrid_message_id: null,
    }),
  }),
];
