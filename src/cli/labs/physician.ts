import { isNpi } from '../../wire/forms/npi.ts';
import { addPhysician } from '../../tenancy/teams/physicians.ts';
import { UsageError } from '../command.ts';
import { printDone } from '../print.ts';
import { withChange } from '../with-change.ts';

type PhysicianOptions = { team: string; npi: string; first: string; last: string; json: boolean };

export async function addPhysicianCommand({ team, npi, first, last, json }: PhysicianOptions): Promise<number> {
  if (!isNpi(npi)) throw new UsageError('phial physician add takes the 10 digits of an NPI as --npi.');
  return withChange('physician add', async (ctx) => {
    const { org_id } = await addPhysician(ctx, team, { npi, first_name: first, last_name: last });
    return {
      org_id,
      team_id: team,
      records: [],
      printResult: () => printDone(json, 'The physician is now one of the team.', { team_id: team, npi }),
    };
  });
}
