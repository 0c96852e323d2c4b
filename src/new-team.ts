import type { NewTeamStep } from './context.ts';
import { addStandardTests } from './labs/catalogue/sandbox/add-standard-tests.ts';

/** What every new team starts with, a line a wing: teams know nothing of the wings above them. */
export const newTeam: readonly NewTeamStep[] = [addStandardTests];
