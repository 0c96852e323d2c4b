import { approveLabTestOf } from '../../labs/catalogue/own-tests/approve.ts';
import { printDone } from '../print.ts';
import { withChange } from '../with-change.ts';

type Approval = { team: string; test: string; json: boolean };

export function approveLabTestCommand({ team, test, json }: Approval): Promise<number> {
  return withChange('lab-test approve', async (ctx) => {
    const { org_id } = await approveLabTestOf(ctx, team, test);
    const printResult = (): void =>
      printDone(json, 'The lab test is approved.', { team_id: team, lab_test_id: test, is_approved: true });
    return { org_id, team_id: team, records: [test], printResult };
  });
}
