import { randomUUID } from 'node:crypto';
import { demographics } from '../people.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, Refusal, User } from './cast.ts';

export async function createUser({ service }: Cast): Promise<User> {
  const body = { client_user_id: `quickstart-${randomUUID()}` };
  const user = await service.call<User>('Create a user', 'POST /v2/user', {
    body,
    summary: ({ user_id }) => `user ${user_id}`,
  });
  expectEqual('client_user_id', user.client_user_id, body.client_user_id);
  const again = await service.call<Refusal>('Create the same user again', 'POST /v2/user', {
    body,
    status: 400,
    summary: ({ code }) => `${code}, with user_id and created_on of the first`,
  });
  expectEqual('code', again.code, 'client_user_id_conflict');
  const { user_id, created_on } = again.detail as User;
  expectEqual(
    'The existing user in the refusal',
    { user_id, created_on },
    { user_id: user.user_id, created_on: user.created_on },
  );
  return user;
}

export async function storeDemographics({ service }: Cast, { user_id }: User): Promise<void> {
  const stored = await service.call<typeof demographics>('Store demographics', 'PATCH /v2/user/{user_id}/info', {
    params: { user_id },
    body: demographics,
    summary: ({ first_name, last_name, dob }) => `${first_name} ${last_name}, born ${dob}`,
  });
  for (const [key, value] of Object.entries(demographics))
    expectEqual(key, stored[key as keyof typeof demographics], value);
}

export async function storeInsurance({ service }: Cast, { user_id }: User): Promise<void> {
  type Payor = { payor_code: string; name: string; org_address: unknown };
  const [payor] = await service.call<Payor[]>('Find a payor', 'GET /v3/insurance/search/payor', {
    query: { insurance_name: 'Aetna' },
    summary: (payors) => payors.map(({ name, payor_code }) => `${name} (${payor_code})`).join(', '),
  });
  const sent = {
    payor_code: payor?.payor_code,
    member_id: 'XYZ123456789',
    group_id: null,
    relationship: 'Self',
    insured: demographics,
    is_primary: true,
  };
  const insurance = await service.call<typeof sent & { company: { name: string } }>(
    'Store insurance',
    'POST /v2/user/{user_id}/insurance',
    {
      params: { user_id },
      body: sent,
      summary: ({ company }) => `company ${company.name}, filled in from the payor directory`,
    },
  );
  expectEqual('insurance', insurance, {
    ...sent,
    guarantor: null,
    company: { name: payor?.name, address: payor?.org_address },
  });
}

export async function deleteAndUndo({ service }: Cast, user: User): Promise<void> {
  const params = { user_id: user.user_id };
  const deleted = await service.call('Delete the user', 'DELETE /v2/user/{user_id}', { params });
  expectEqual('The answer of the deletion', deleted, { success: true });
  const gone = await service.call<Refusal>('Read the deleted user', 'GET /v2/user/{user_id}', {
    params,
    status: 404,
    summary: ({ code }) => code,
  });
  expectEqual('code', gone.code, 'user_scheduled_for_deletion');
  const undone = await service.call('Take the deletion back', 'POST /v2/user/undo_delete', { query: params });
  expectEqual('The answer of the undo', undone, { success: true });
  type Back = User & { connected_sources: { provider: { slug: string } }[] };
  const back = await service.call<Back>('Read the user again', 'GET /v2/user/{user_id}', {
    params,
    summary: ({ client_user_id }) => client_user_id,
  });
  expectEqual('The user', { ...back, connected_sources: [] }, user);
  const slugs = back.connected_sources.map(({ provider }) => provider.slug);
  expectEqual('What the user has connected', slugs, ['freestyle_libre']);
}
