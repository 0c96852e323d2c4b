import type { Static } from 'typebox';
import type { Config } from '../../config/options.ts';
import { changeBrand, newBrand } from './brand.ts';
import type { ManagedTeam, TeamPage } from './schemas.ts';

/** The columns of a team that responses need. */
export type TeamRow = {
  id: string;
  name: string;
  created_at: string;
  integration_team_id: string | null;
  settings: unknown;
};

export const TEAM_COLUMNS = ['id', 'name', 'created_at', 'integration_team_id', 'settings'] as const;

type Settings = NonNullable<Static<typeof ManagedTeam>['sandbox']>;

/** The values of settings that a team has not set. */
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

/** Returns the settings of a team. Settings that the team has not set have their default value. */
export function settingsOf(stored: unknown): Settings {
  const settings = { ...DEFAULTS, ...(stored as Partial<Settings>) };
  const brand = settings.brand_information;
  // Older stored brands can have null for a text. changeBrand replaces it with an empty string.
  return { ...settings, brand_information: brand && changeBrand(newBrand(brand.company_name), brand) };
}

/** Renders a team for a list. */
export const toListedTeam = (
  { region }: Config,
  { id, name, created_at, integration_team_id }: Omit<TeamRow, 'settings'>,
): Static<typeof TeamPage>['teams'][number] => ({ id, name, created_on: created_at, region, integration_team_id });

/**
 * Renders a team for the management API. The settings are under the environment of this deployment, if `shown` contains
 * that environment.
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
