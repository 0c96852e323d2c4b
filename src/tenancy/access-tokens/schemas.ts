import { Type } from 'typebox';
import { Uuid } from '../../wire/schema.ts';
import { Environment } from '../schemas.ts';

export const AccessTokenInput = Type.Object({ env: Environment });
export const AccessToken = Type.Object({
  id: Type.String({ ...Uuid, description: 'Id of the token, by which the audit log knows it.' }),
  access_token: Type.String({ description: 'The whole token: it is shown here and never again.' }),
  expires_in: Type.Integer({ description: 'Seconds until it ends.' }),
});
