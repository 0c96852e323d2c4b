import { randomUUID } from 'node:crypto';
import { demographics } from '../people.ts';
import { expectEqual } from '../surprise.ts';
import type { Cast, User } from './cast.ts';

export async function createUser({ service }: Cast): Promise<User> {
  const body = { client_user_id: `quickstart-${randomUUID()}` };
  const user = await service.call('Create a user', ({ team }) => team.POST('/v2/user', { body }), {
    summary: ({ user_id }) => `user ${user_id}`,
  });
  expectEqual('client_user_id', user.client_user_id, body.client_user_id);
  const again = await service.refusal('Create the same user again', ({ team }) => team.POST('/v2/user', { body }), {
    status: 400,
    summary: ({ code }) => `${code}, with user_id and created_on of the first`,
  });
  expectEqual('code', again.code, 'client_user_id_conflict');
  const { user_id, created_on } = again.detail as Partial<User>;
  expectEqual(
    'The existing user in the refusal',
    { user_id, created_on },
    { user_id: user.user_id, created_on: user.created_on },
  );
  return user;
}

export async function storeDemographics({ service }: Cast, { user_id }: User): Promise<void> {
  const stored = await service.call(
    'Store demographics',
    ({ team }) => team.PATCH('/v2/user/{user_id}/info', { params: { path: { user_id } }, body: demographics }),
    { summary: ({ first_name, last_name, dob }) => `${first_name} ${last_name}, born ${dob}` },
  );
  for (const [key, value] of Object.entries(demographics))
    expectEqual(key, stored[key as keyof typeof demographics], value);
}

export async function storeInsurance({ service }: Cast, { user_id }: User): Promise<void> {
  const [payor] = await service.call(
    'Find a payor',
    ({ team }) => team.GET('/v3/insurance/search/payor', { params: { query: { insurance_name: 'Aetna' } } }),
    { summary: (payors) => payors.map(({ name, payor_code }) => `${name} (${payor_code})`).join(', ') },
  );
  const sent = {
    payor_code: payor?.payor_code ?? '',
    member_id: 'XYZ123456789',
    group_id: null,
    relationship: 'Self' as const,
    insured: demographics,
    is_primary: true,
  };
  const insurance = await service.call(
    'Store insurance',
    ({ team }) => team.POST('/v2/user/{user_id}/insurance', { params: { path: { user_id } }, body: sent }),
    { summary: ({ company }) => `company ${company.name}, filled in from the payor directory` },
  );
  expectEqual('insurance', insurance, {
    ...sent,
    guarantor: null,
    company: { name: payor?.name, address: payor?.org_address },
  });
}

export async function deleteAndUndo({ service }: Cast, user: User): Promise<void> {
  const { user_id } = user;
  const params = { path: { user_id } };
  const deleted = await service.call('Delete the user', ({ team }) => team.DELETE('/v2/user/{user_id}', { params }));
  expectEqual('The answer of the deletion', deleted, { success: true });
  const gone = await service.refusal(
    'Read the deleted user',
    ({ team }) => team.GET('/v2/user/{user_id}', { params }),
    { status: 404, summary: ({ code }) => code },
  );
  expectEqual('code', gone.code, 'user_scheduled_for_deletion');
  const undone = await service.call('Take the deletion back', ({ team }) =>
    team.POST('/v2/user/undo_delete', { params: { query: { user_id } } }),
  );
  expectEqual('The answer of the undo', undone, { success: true });
  const back = await service.call('Read the user again', ({ team }) => team.GET('/v2/user/{user_id}', { params }), {
    summary: ({ client_user_id }) => client_user_id,
  });
  expectEqual('The user', { ...back, connected_sources: [] }, user);
  const slugs = back.connected_sources.map(({ provider }) => provider.slug);
  expectEqual('What the user has connected', slugs, ['freestyle_libre']);
}
