import { endpoint, type Endpoint } from '../../../http/endpoint.ts';
import { ofDeployment } from '../../../tenancy/places.ts';
import { listPreferences } from './list.ts';
import { removePreferences } from './remove.ts';
import { PreferencesInput, PreferencesPage, PreferencesQuery, PreferencesRemoval } from './schemas.ts';
import { setPreferences } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const scope = 'teams';
const path = '/v1/org/{org_id}/team_data_pull_preferences/{env}/{region}';

/** How far back connections of teams begin. */
export const pullPreferenceEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_team_data_pull_preferences',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    params: ofDeployment,
    query: PreferencesQuery,
    response: PreferencesPage,
    summary: 'List how far back connections of teams begin',
    description: 'Teams that have chosen something, in the order they were made.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { provider = [], next_cursor = null, limit } }) =>
      listPreferences(ctx, ctx.teamIds, { provider, next_cursor, limit }),
  }),
  endpoint({
    id: 'set_team_data_pull_preferences',
    method: 'POST',
    path,
    tag,
    auth,
    scope,
    params: ofDeployment,
    body: PreferencesInput,
    response: PreferencesPage,
    summary: 'Choose how far back connections of teams begin',
    description:
      'It holds for connections that are made from now on, and for pulls that are asked for again. Of a provider that is named ' +
      'the whole choice is replaced. Answers what these teams have chosen now.',
    refusals: ['not_found'],
    handle: async (ctx, { body: { team_ids, providers } }) => {
      const teams = ctx.teamIds ?? [];
      await setPreferences(ctx, teams, providers);
      return listPreferences(ctx, teams, { provider: [], next_cursor: null, limit: team_ids.length });
    },
  }),
  endpoint({
    id: 'delete_team_data_pull_preferences',
    method: 'DELETE',
    path,
    tag,
    auth,
    scope,
    params: ofDeployment,
    query: PreferencesRemoval,
    response: PreferencesPage,
    summary: 'Choose no longer how far back connections of teams begin',
    description: 'What holds for everybody holds for these teams again. Answers what they have still chosen.',
    refusals: ['not_found'],
    handle: async (ctx, { query: { team_id, provider = [] } }) => {
      const teams = ctx.teamIds ?? [];
      await removePreferences(ctx, teams, provider);
      return listPreferences(ctx, teams, { provider: [], next_cursor: null, limit: team_id.length });
    },
  }),
];
