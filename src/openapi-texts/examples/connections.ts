import { USER } from './invented.ts';

export const CONNECTION_BODIES: Readonly<Record<string, unknown>> = {
  connect_demo: { user_id: USER, provider: 'oura' },
};
