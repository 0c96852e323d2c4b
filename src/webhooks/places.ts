import { Type } from 'typebox';
import { ofTeam, TEAM_PATH } from '../tenancy/places.ts';
import { Uuid } from '../wire/schema.ts';

/** What belongs to one endpoint of a team. */
export const WEBHOOK_PATH = `${TEAM_PATH}/webhook/{webhook_id}`;
export const ofWebhook = Type.Object({ ...ofTeam.properties, webhook_id: Uuid });
