import { Type, type TSchemaOptions } from 'typebox';
import { Uuid } from '../wire/schema.ts';

const MOST_TEAMS_BOUND = 100;

export const TeamRoleBinding = Type.Object({ team_id: Uuid });

/** As a request names teams. */
export const Bindings = (options: TSchemaOptions & { minItems?: number; description: string }) =>
  Type.Array(TeamRoleBinding, { ...options, maxItems: MOST_TEAMS_BOUND });

type Binding = { team_id: string };

/** Each team once, in the order of the bindings. */
export const teamIdsOf = (bindings: Binding[]): string[] => [...new Set(bindings.map(({ team_id }) => team_id))];

/** As the wire shows them; null is null. */
export const bindingsOf = (teamIds: string[] | null): Binding[] | null =>
  teamIds && teamIds.map((team_id) => ({ team_id }));
