import { Type } from 'typebox';
import { Uuid } from '../../wire/schema.ts';
import { Environment } from '../schemas.ts';
import { shape } from '../../wire/shape.ts';

export const AccessTokenInput = shape('AccessTokenInput', { env: Environment });
export const AccessToken = shape('AccessToken', {
  id: Type.String({ ...Uuid, description: 'The id of the token in the audit log.' }),
  access_token: Type.String({ description: 'The whole token. It is never shown again.' }),
  expires_in: Type.Integer({ description: 'Seconds until the token ends.' }),
});
