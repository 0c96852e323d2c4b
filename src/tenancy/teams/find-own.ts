import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { settingsOf } from './render.ts';
import type { OwnTeam } from './schemas.ts';

/**
 * Properties that existing clients of this API expect, but that are always null here: secrets, and ids of accounts at
 * other services.
 */
const NEVER_SHOWN = {
  svix_app_id: null,
  client_id: null,
  client_secret: null,
  airtable_api_key: null,
  airtable_base_id: null,
  webhook_secret: null,
  api_key: null,
  api_keys: null,
} as const;

/**
 * Returns the caller's own team with its settings. Throws not_found for any other id. The response never has keys or
 * secrets.
 */
export async function findOwnTeam(ctx: TeamCtx, teamId: string): Promise<Static<typeof OwnTeam>> {
  const team = await ctx.db
    .selectFrom('teams')
    .select(['id', 'org_id', 'name', 'settings'])
    .where('id', '=', teamId)
    .where('id', '=', ctx.team.id)
    .executeTakeFirst();
  if (!team) throw notFound('Team');
  const { id, org_id, name } = team;
  const chosen = settingsOf(team.settings);
  const { lab_tests_patient_sms_communication_enabled: sms, lab_tests_patient_email_communication_enabled: email } =
    chosen;
  return {
    id,
    org_id,
    name,
    ...NEVER_SHOWN,
    testkits_texts_enabled: sms,
    lab_tests_patient_communication_enabled: sms || email,
    lab_tests_patient_sms_communication_enabled: sms,
    lab_tests_patient_email_communication_enabled: email,
    logo_url: chosen.logo_url,
    delegated_flow: 'order_and_results_with_service_physician_network',
    critical_result_notification_email: chosen.critical_result_notification_email,
    configuration: {
      texts_enabled: sms,
      reject_duplicate_connection: chosen.reject_duplicate_connection,
      sdk_per_device_activity_timeseries: chosen.sdk_per_device_activity_timeseries,
      partial_webhooks_enabled: chosen.partial_webhooks_enabled ?? false,
      minor_ordering_enabled: chosen.minor_ordering_enabled ?? false,
      backfill_events_enabled: chosen.backfill_events_enabled,
      provider_raw_data: false,
      event_type_prefixes: null,
      libreview: { practice_id: {}, strip_tz: false },
    },
  };
}
