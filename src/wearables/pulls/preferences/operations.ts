import { operation, type Operation } from '../../../operation/operation.ts';
import { ofDeployment } from '../../../tenancy/team-paths.ts';
import { listPreferences } from './list.ts';
import { removePreferences } from './remove.ts';
import { PreferencesInput, PreferencesPage, PreferencesQuery, PreferencesRemoval } from './schemas.ts';
import { setPreferences } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const scope = 'teams';
const path = '/v1/org/{org_id}/team_data_pull_preferences/{env}/{region}';

/** The operations on the number of days of the past that new connections of teams import. */
export const pullPreferenceOperations: Operation[] = [
  operation({
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
    description: 'Only teams with preferences are listed, oldest first.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { provider = [], next_cursor = null, limit } }) =>
      listPreferences(ctx, ctx.teamIds, { provider, next_cursor, limit }),
  }),
  operation({
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
      'The preferences apply to connections that are made from now on, and to pulls that are asked for ' +
      'again. Preferences of a named provider are replaced as a whole. The response has all preferences ' +
      'of these teams.',
    refusals: ['not_found'],
    handle: async (ctx, { body: { team_ids, providers } }) => {
      const teams = ctx.teamIds ?? [];
      await setPreferences(ctx, teams, providers);
      return listPreferences(ctx, teams, { provider: [], next_cursor: null, limit: team_ids.length });
    },
  }),
  operation({
    id: 'delete_team_data_pull_preferences',
    method: 'DELETE',
    path,
    tag,
    auth,
    scope,
    params: ofDeployment,
    query: PreferencesRemoval,
    response: PreferencesPage,
    summary: 'Remove how far back connections of teams begin',
    description: 'The defaults apply to these teams again. The response has their remaining preferences.',
    refusals: ['not_found'],
    handle: async (ctx, { query: { team_id, provider = [] } }) => {
      const teams = ctx.teamIds ?? [];
      await removePreferences(ctx, teams, provider);
      return listPreferences(ctx, teams, { provider: [], next_cursor: null, limit: team_id.length });
    },
  }),
];
