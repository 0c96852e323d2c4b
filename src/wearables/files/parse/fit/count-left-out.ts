import type { Sink } from '../parsed-line.ts';
import { text, type Messages } from './fit-messages.ts';

/** The messages that we read from the file of a workout. */
const OF_WORKOUTS = new Set(['session', 'record', 'lap', 'hr', 'activity', 'sport', 'field_description']);
const READ = new Set(
  (
    'monitoring monitoring_info weight_scale blood_pressure sleep_level sleep_assessment hrv_status_summary ' +
    'hrv_value stress_level respiration_rate spo2_data'
  ).split(' '),
);
/**
 * The messages about the file, the device and its settings. If we have read anything else from the file, these do not
 * count as skipped.
 */
const ABOUT = new Set(
  (
    'file_id file_creator event device_info developer_data_id device_settings user_profile zones_target ' +
    'hr_zone power_zone software capabilities file_capabilities mesg_capabilities field_capabilities ' +
    'timestamp_correlation training_settings pad slave_device bike_profile hrm_profile sdm_profile ' +
    'connectivity time_in_zone user_metrics activity_metrics'
  ).split(' '),
);

/**
 * Counts the messages that we did not read. If nothing in the file can be stored, counts all messages and also names
 * the type of the file.
 */
export function countLeftOut(
  messages: Messages,
  { hasWorkouts, isNothing }: { hasWorkouts: boolean; isNothing: boolean },
  sink: Sink,
): void {
  for (const [name, { length }] of Object.entries(messages)) {
    const isRead = READ.has(name) || ABOUT.has(name) || (hasWorkouts && OF_WORKOUTS.has(name));
    if (name === 'file_id' && isNothing) sink.skip(`file ${text(messages[name]?.[0]?.['type'])}`.trim(), 'not_kept');
    else if (!isRead || (isNothing && !READ.has(name))) sink.skip(name, 'not_kept', length);
  }
  if (Object.keys(messages).length === 0) sink.skip('file', 'empty');
}
