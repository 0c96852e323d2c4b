import { approveLabTestOf } from '../../labs/catalogue/own-tests/approve.ts';
import { withChange } from '../with-change.ts';

export function approveLabTestCommand({ team, test }: { team: string; test: string }): Promise<number> {
  return withChange('lab-test approve', async (ctx) => {
    const { org_id } = await approveLabTestOf(ctx, team, test);
    return { org_id, team_id: team, records: [test], printResult: () => console.log('The lab test is approved.') };
  });
}
