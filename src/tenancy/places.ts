// Where operations of the management API lie, and the teams that they name.
import { Type } from 'typebox';
import { nullable, Uuid } from '../wire/schema.ts';
import { Environment, Region } from './schemas.ts';

/** What belongs to one team in this deployment. */
export const TEAM_PATH = '/v1/org/{org_id}/team/{team_id}/{environment}';
export const ofTeam = Type.Object({ org_id: Uuid, team_id: Uuid, environment: Environment });

/** What belongs to teams of an organisation in one deployment: `/v1/org/{org_id}/…/{env}/{region}`. */
export const ofDeployment = Type.Object({ org_id: Uuid, env: Environment, region: Region });

/** Most teams that one request names. */
export const MOST_TEAMS = 100;

/** Teams that something is done for. */
export const NamedTeams = (description: string) => Type.Array(Uuid, { minItems: 1, maxItems: MOST_TEAMS, description });

/** Teams that something is done for, which may be left unnamed: then it is done for all that the key opens. */
export const NamedTeamsOrAll = (description: string) =>
  Type.Optional(
    nullable(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: MOST_TEAMS,
        description: `${description} Left out or null, all that the key opens, where those are at most ${MOST_TEAMS}.`,
      }),
    ),
  );

/** Of which teams a list is asked for. */
export const TheseTeams = Type.Optional(
  Type.Array(Uuid, { maxItems: MOST_TEAMS, description: 'These teams; left out, all that the key opens.' }),
);

/** The same where it is one. */
export const ThisTeam = Type.Optional(
  Type.String({ format: 'uuid', description: 'This team; left out, all that the key opens.' }),
);
