import type { Static } from 'typebox';
import type { Config } from '../../config/options.ts';
import type { CreatedTeam } from './create.ts';
import type { ManagedTeam } from './schemas.ts';

type Settings = NonNullable<Static<typeof ManagedTeam>['sandbox']>;

/** What holds for a team that never chose. */
const DEFAULTS: Settings = {
  lab_tests_patient_sms_communication_enabled: true,
  lab_tests_patient_email_communication_enabled: true,
  critical_result_notification_email: null,
  brand_information: null,
  logo_url: null,
  reject_duplicate_connection: false,
  sdk_per_device_activity_timeseries: false,
  partial_webhooks_enabled: false,
  minor_ordering_enabled: false,
};

/** What a team has chosen, and what holds where it never chose. */
export const settingsOf = (settings: unknown): Settings => ({ ...DEFAULTS, ...(settings as Partial<Settings>) });

/** A team as the management API answers it: the settings stand at the environment that this deployment serves. */
export function toManagedTeam({ environment, region }: Config, team: CreatedTeam): Static<typeof ManagedTeam> {
  const { id, name, created_at, integration_team_id } = team;
  return {
    id,
    name,
    created_on: created_at,
    region,
    integration_team_id,
    environments: [environment],
    sandbox: null,
    production: null,
    [environment]: settingsOf(team.settings),
  };
}
