import { Type, type TSchemaOptions } from 'typebox';
import { Uuid } from '../wire/schema.ts';
import { shape } from '../wire/shape.ts';

const MAX_TEAMS_BOUND = 100;

export const TeamRoleBinding = shape('TeamRoleBinding', { team_id: Uuid });

/** The schema of team bindings in requests. */
export const Bindings = (options: TSchemaOptions & { minItems?: number; description: string }) =>
  Type.Array(TeamRoleBinding, { ...options, maxItems: MAX_TEAMS_BOUND });

type Binding = { team_id: string };

/** Returns the team ids of the bindings in their order, without duplicates. */
export const teamIdsOf = (bindings: Binding[]): string[] => [...new Set(bindings.map(({ team_id }) => team_id))];

/** Renders team bindings for responses. Null stays null. */
export const bindingsOf = (teamIds: string[] | null): Binding[] | null =>
  teamIds && teamIds.map((team_id) => ({ team_id }));
