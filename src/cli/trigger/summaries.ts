import { unwrap } from '@phial/client';
import { SUMMARY_BODIES } from '../../openapi-texts/examples/summaries.ts';
import { SUMMARIES } from '../../wearables/summaries/summary-resources.ts';
import { ownProperty } from '../../wire/own-property.ts';
import { CommandError } from '../command.ts';
import type { Stage } from './scenario.ts';

/** A member of each kind of summary, with another value than that of the example. */
const CHANGES: Readonly<Record<string, object>> = {
  activity: { steps: 11_000 },
  sleep: { efficiency: 92, version: '2026-01-06T15:05:00Z' },
  body: { weight: 71.9 },
  workouts: {
    calories: 490,
    stream: { time: [1_767_619_800, 1_767_619_801, 1_767_619_802], heartrate: [113, null, 116] },
  },
  sleep_cycle: { stage_type: [4, 1, 2] },
  profile: { height: 173 },
  meal: { name: 'Late lunch' },
  menstrual_cycle: { period_end: '2026-01-08' },
  electrocardiogram: { heart_rate_mean: 66 },
  device: { device_version: '3.2' },
};

/** The compiler knows no path that is made at run time. All kinds take the same parameters. */
const pathOf = (name: string): '/v2/summary/activity/{user_id}' =>
  `/v2/summary/${SUMMARIES.find((each) => each.name === name)?.path}/{user_id}` as '/v2/summary/activity/{user_id}';

/** Pushes a summary of a kind and returns its id. A changed one is the same summary with other values. */
export async function pushSummary(stage: Stage, name: string, { isChanged = false } = {}): Promise<string> {
  const [example] = SUMMARY_BODIES[`push_${name}`] as [Record<string, unknown>];
  const sleep_id = 'sleep_id' in example ? { sleep_id: await pushSummary(stage, 'sleep') } : {};
  const body = [{ ...example, ...sleep_id, ...(isChanged && ownProperty(CHANGES, name)) }];
  const params = { path: { user_id: stage.user_id } };
  const pushed = await unwrap(stage.phial.POST(pathOf(name), { params, body: body as never }));
  const [item] = pushed.items;
  if (item?.id) return item.id;
  throw new CommandError(`The service stored no ${name}.`);
}

export async function deleteSummary({ phial, user_id }: Stage, name: string, id: string): Promise<void> {
  const params = { path: { user_id } };
  await unwrap(phial.DELETE(pathOf(name), { params, body: [{ id }] }));
}
