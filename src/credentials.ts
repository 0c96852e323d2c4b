import { join } from 'node:path';

/** What a newcomer needs to begin with; a new sandbox shows the keys once and keeps them in this file. */
export type Credentials = {
  base_url: string;
  org_id: string;
  team_id: string;
  team_api_key: string;
  management_key: string;
};

export const credentialsFile = (dataDir: string): string => join(dataDir, 'credentials.json');
