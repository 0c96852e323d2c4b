// Paths of the management API, and the parameters with which requests name teams.
import { Type } from 'typebox';
import { nullable, Uuid } from '../wire/schema.ts';
import { Environment, Region } from './schemas.ts';

/** The common path of operations on the data of one team in this deployment. */
export const TEAM_PATH = '/v1/org/{org_id}/team/{team_id}/{environment}';
export const ofTeam = Type.Object({ org_id: Uuid, team_id: Uuid, environment: Environment });

/**
 * The path parameters of operations on the data of several teams of an organisation in one deployment:
 * `/v1/org/{org_id}/…/{env}/{region}`.
 */
export const ofDeployment = Type.Object({ org_id: Uuid, env: Environment, region: Region });

/** The most teams that one request can name. */
export const MAX_TEAMS = 100;

/** The teams to which an action applies. */
export const NamedTeams = (description: string) => Type.Array(Uuid, { minItems: 1, maxItems: MAX_TEAMS, description });

/** The teams to which an action applies. If absent, it applies to all teams of the key. */
export const NamedTeamsOrAll = (description: string) =>
  Type.Optional(
    nullable(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: MAX_TEAMS,
        description: `${description} Absent or null: all teams of the key, if there are at most ${MAX_TEAMS}.`,
      }),
    ),
  );

/** The teams to which a list is limited. */
export const TheseTeams = Type.Optional(
  Type.Array(Uuid, { maxItems: MAX_TEAMS, description: 'Only these teams. Absent: all teams of the key.' }),
);

/** The team to which a list is limited. Like TheseTeams, but for one team. */
export const ThisTeam = Type.Optional(
  Type.String({ format: 'uuid', description: 'Only this team. Absent: all teams of the key.' }),
);
