import { textOf } from '../connections/providers/connector.ts';
import { hexOf, isSame, type Hook, type HookHeaders } from './hook.ts';

/** All that any provider signs by. */
export const SIGNATURE_HEADERS = ['x-strava-signature', 'x-oura-signature', 'x-oura-timestamp'] as const;

const MOST_AGE_SECONDS = 300;

/** An id as it may stand in an address; null for anything else. */
function idOf(value: unknown): string | null {
  const id = textOf(value);
  return id !== null && /^[A-Za-z0-9-]{1,100}$/.test(id) ? id : null;
}

/**
 * https://developers.strava.com/docs/webhooks/. Whether Strava signs depends on the application; what is unsigned is taken,
 * since all that follows from it is one question to Strava itself.
 */
const strava: Hook = {
  isSigned: (secret, headers, body) => {
    const signature = headers['x-strava-signature'] ?? null;
    if (signature === null) return true;
    const [, seconds = '', told = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const isNow = Math.abs(Date.now() / 1_000 - Number(seconds)) <= MOST_AGE_SECONDS;
    return told !== '' && isNow && isSame(told, hexOf(secret, `${seconds}.${body}`));
  },
  read: ({ object_type, object_id, owner_id }) => {
    const [owner, id] = [idOf(owner_id), idOf(object_id)];
    if (owner === null || id === null) return null;
    if (object_type === 'activity') {
      const resources = ['workouts', 'workout_stream'];
      return { external_user_id: owner, resources, object: { resource: 'workouts', id } };
    }
    // Somebody has taken the application away, perhaps: the token says so.
    return object_type === 'athlete' ? { external_user_id: owner, resources: ['profile'], object: null } : null;
  },
};

/** Of heart rate nobody tells: it comes with what it belongs to. */
const OURA_TYPES: Readonly<Record<string, { resources: string[]; kind?: string }>> = {
  daily_activity: { resources: ['activity', 'steps', 'distance', 'calories_active', 'heartrate'], kind: 'activity' },
  daily_sleep: { resources: ['sleep'] },
  sleep: { resources: ['sleep', 'hrv', 'respiratory_rate', 'heartrate'], kind: 'sleep' },
  workout: { resources: ['workouts', 'heartrate'], kind: 'workouts' },
  daily_spo2: { resources: ['blood_oxygen'] },
  vo2_max: { resources: ['vo2_max'] },
};

/** https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes */
const oura: Hook = {
  isSigned: (secret, headers: HookHeaders, body) => {
    const [signature, timestamp] = [headers['x-oura-signature'] ?? '', headers['x-oura-timestamp'] ?? ''];
    return isSame(signature.toLowerCase(), hexOf(secret, timestamp + body));
  },
  read: ({ data_type, object_id, user_id }) => {
    const type = Object.hasOwn(OURA_TYPES, String(data_type)) ? OURA_TYPES[String(data_type)] : undefined;
    const [owner, id] = [idOf(user_id), idOf(object_id)];
    if (!type || owner === null || id === null) return null;
    const object = type.kind === undefined ? null : { resource: type.kind, id };
    return { external_user_id: owner, resources: type.resources, object };
  },
};

const HOOKS: Readonly<Record<string, Hook>> = { strava, oura };

export const hookOrNull = (provider: string): Hook | null =>
  Object.hasOwn(HOOKS, provider) ? (HOOKS[provider] as Hook) : null;
