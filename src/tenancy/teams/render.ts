import type { Static } from 'typebox';
import type { Config } from '../../config/options.ts';
import { changeBrand, newBrand } from './brand.ts';
import type { ManagedTeam, TeamPage } from './schemas.ts';

/** A team as it is read to be shown. */
export type TeamRow = {
  id: string;
  name: string;
  created_at: string;
  integration_team_id: string | null;
  settings: unknown;
};

export const TEAM_COLUMNS = ['id', 'name', 'created_at', 'integration_team_id', 'settings'] as const;

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
  patient_experience: true,
  backfill_events_enabled: true,
  signed_links_end_with_key: null,
};

/** What a team has chosen, and what holds where it never chose. */
export function settingsOf(stored: unknown): Settings {
  const settings = { ...DEFAULTS, ...(stored as Partial<Settings>) };
  const brand = settings.brand_information;
  // Brands of before may have null for a text.
  return { ...settings, brand_information: brand && changeBrand(newBrand(brand.company_name), brand) };
}

/** A team in a list. */
export const toListedTeam = (
  { region }: Config,
  { id, name, created_at, integration_team_id }: Omit<TeamRow, 'settings'>,
): Static<typeof TeamPage>['teams'][number] => ({ id, name, created_on: created_at, region, integration_team_id });

/**
 * A team as the management API answers it: the settings stand at the environment that this deployment serves, where that
 * is one of `shown`.
 */
export const toManagedTeam = (
  config: Config,
  team: TeamRow,
  shown: string[] = [config.environment],
): Static<typeof ManagedTeam> => ({
  ...toListedTeam(config, team),
  environments: [config.environment],
  sandbox: null,
  production: null,
  ...(shown.includes(config.environment) ? { [config.environment]: settingsOf(team.settings) } : {}),
});
