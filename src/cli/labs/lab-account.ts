import { isUsState, US_STATES } from '../../wire/us-state.ts';
import {
  addLabAccount,
  type AllowedBilling,
  type DelegatedFlow,
  type LabAccountStatus,
} from '../../labs/catalogue/lab-accounts/add.ts';
import { BILLING_TYPES } from '../../labs/catalogue/lab-accounts/schemas.ts';
import { setLabAccountStatus } from '../../labs/catalogue/lab-accounts/set-status.ts';
import { UsageError } from '../command.ts';
import { printDone } from '../print.ts';
import { withChange } from '../with-change.ts';

type NewAccount = {
  org: string;
  lab: string;
  number: string;
  name: string | undefined;
  team: string[];
  billing: string[];
  notes: string | undefined;
  unit: string[];
  flow: DelegatedFlow;
  status: LabAccountStatus;
  json: boolean;
};

export async function addLabAccountCommand(values: NewAccount): Promise<number> {
  const allowed_billing = readBilling(values.billing);
  return withChange('lab-account add', async (ctx) => {
    const id = await addLabAccount(ctx, {
      org_id: values.org,
      lab: values.lab,
      status: values.status,
      delegated_flow: values.flow,
      provider_account_id: values.number,
      account_name: values.name ?? null,
      default_clinical_notes: values.notes ?? null,
      business_units: values.unit.length > 0 ? values.unit : null,
      allowed_billing,
      team_id_allowlist: values.team,
    });
    return { org_id: values.org, records: [id], printResult: () => printDone(values.json, id, { lab_account_id: id }) };
  });
}

export function setLabAccountStatusCommand(values: {
  org: string;
  account: string;
  status: LabAccountStatus;
  json: boolean;
}): Promise<number> {
  return withChange('lab-account set-status', async (ctx) => {
    const { org: org_id, account: lab_account_id, status } = values;
    await setLabAccountStatus(ctx, { org_id, lab_account_id, status });
    const printResult = (): void => printDone(values.json, `The account is ${status} now.`, { lab_account_id, status });
    return { org_id, records: [lab_account_id], printResult };
  });
}

/**
 * Parses `client_bill=AZ,CA`, or `client_bill` for every state. If there are no values, it allows client_bill in every
 * state.
 */
function readBilling(texts: string[]): AllowedBilling {
  const allowed: AllowedBilling = {};
  for (const text of texts.length > 0 ? texts : ['client_bill']) {
    const [name, list] = text.split('=', 2) as [string, string | undefined];
    const billing = BILLING_TYPES.find((each) => each === name);
    if (!billing) {
      throw new UsageError(
        `phial lab-account add takes ${BILLING_TYPES.join(', ')} as --billing, not ${JSON.stringify(name)}.`,
      );
    }
    const states = list === undefined ? [...US_STATES] : list.split(',').map((state) => state.trim().toUpperCase());
    const unknown = states.find((state) => !isUsState(state));
    if (unknown !== undefined) {
      throw new UsageError(
        `phial lab-account add takes two-letter states behind ${billing}=, not ${JSON.stringify(unknown)}.`,
      );
    }
    allowed[billing] = states;
  }
  return allowed;
}
