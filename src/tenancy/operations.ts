import { accessTokenOperations } from './access-tokens/operations.ts';
import { domainOperations } from './domains/operations.ts';
import { ehrOperations } from './ehr/operations.ts';
import { keyOperations } from './keys/operations.ts';
import { memberOperations } from './members/operations.ts';
import { orgOperations } from './orgs/operations.ts';
import { sessionOperations } from './sessions/operations.ts';
import { signInOperations } from './sign-in/operations.ts';
import { betaOperations } from './teams/beta-operations.ts';
import { deletionOperations } from './teams/deletion/operations.ts';
import { physicianOperations } from './teams/physician-operations.ts';
import { ownTeamOperations, teamOperations } from './teams/operations.ts';

/** The operations that a team API key has for its own team, and the management API of organisations. */
export const managementOperations = [
  ...ownTeamOperations,
  ...orgOperations,
  ...teamOperations,
  ...physicianOperations,
  ...betaOperations,
  ...deletionOperations,
  ...keyOperations,
  ...accessTokenOperations,
  ...memberOperations,
  ...signInOperations,
  ...sessionOperations,
  ...domainOperations,
  ...ehrOperations,
];
