import { Type } from 'typebox';
import { ofTeam, TEAM_PATH } from '../tenancy/team-paths.ts';
import { Uuid } from '../wire/schema.ts';

/** The common path of all operations on one endpoint of a team. */
export const WEBHOOK_PATH = `${TEAM_PATH}/webhook/{webhook_id}`;
export const ofWebhook = Type.Object({ ...ofTeam.properties, webhook_id: Uuid });
