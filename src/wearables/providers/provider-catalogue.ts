// The providers of wearable data that requests can name. For a provider that we can connect, the facts are in its
// folder.
import { SERIES } from '../series.ts';
import { facts as dexcomV3 } from './dexcom-v3/facts.ts';
import { facts as googleHealth } from './google-health/facts.ts';
import { facts as oura } from './oura/facts.ts';
import { facts as polar } from './polar/facts.ts';
import { facts as strava } from './strava/facts.ts';
import { facts as wahoo } from './wahoo/facts.ts';
import { facts as whoopV2 } from './whoop-v2/facts.ts';
import { facts as withings } from './withings/facts.ts';
import { UNCONNECTED_SCOPES } from './unconnected-scopes.ts';
import type { ProviderFacts } from './facts.ts';

/** The kinds of summaries, by their names in events. */
const SUMMARIES = [
  'profile',
  'activity',
  'sleep',
  'sleep_cycle',
  'body',
  'workouts',
  'workout_stream',
  'meal',
  'menstrual_cycle',
  'electrocardiogram',
  'device',
];

/** The resources of phones. A phone stores the data of many devices, so it has all resources. */
const EVERYTHING = [...SUMMARIES, ...SERIES.map(({ event, name }) => event ?? name)];

const NIGHTS = ['sleep', 'sleep_cycle'];
const SESSIONS = ['profile', 'workouts', 'workout_stream'];
const DIABETES = ['glucose', 'meal', 'carbohydrates', 'insulin_injection', 'note'];
const DIARY = ['meal', 'body', 'weight', 'water'];

const DAYS = 30;

type Line = Omit<ProviderFacts, 'source_type' | 'history_days'> & Partial<ProviderFacts>;
const of = (line: Line): ProviderFacts => ({ source_type: 'device', history_days: DAYS, ...line });

type More = Partial<ProviderFacts> & Pick<ProviderFacts, 'resources'>;
const oauth = (name: string, description: string, more: More): ProviderFacts =>
  of({ name, description, auth_type: 'oauth', ...more });
const password = (name: string, description: string, more: More): ProviderFacts =>
  of({ name, description, auth_type: 'password', ...more });
const sdk = (name: string, description: string, more: More): ProviderFacts =>
  of({ name, description, auth_type: 'sdk', source_type: 'ble', ...more });

/**
 * Every provider by its slug. A slug never changes. A provider that no longer exists remains in the list, because its
 * data is still stored.
 */
export const PROVIDERS = {
  oura,
  fitbit: oauth('Fitbit', 'Trackers and watches. Its API has ended: Google Health API replaces it.', {
    history_days: 90,
    resources: [
      'profile',
      'activity',
      ...NIGHTS,
      'body',
      'workouts',
      'steps',
      'distance',
      'floors_climbed',
      'calories_active',
      'heartrate',
      'hrv',
      'respiratory_rate',
      'blood_oxygen',
      'body_temperature_delta',
      'vo2_max',
      'weight',
      'fat',
      'water',
    ],
    scopes_to_choose: UNCONNECTED_SCOPES.fitbit,
  }),
  garmin: oauth('Garmin', 'Sports watches and bike computers.', {
    history_days: 90,
    resources: [
      'profile',
      'activity',
      ...NIGHTS,
      'body',
      'workouts',
      'workout_stream',
      'steps',
      'distance',
      'floors_climbed',
      'calories_active',
      'heartrate',
      'hrv',
      'respiratory_rate',
      'blood_oxygen',
      'stress_level',
      'blood_pressure',
      'vo2_max',
      'weight',
      'fat',
    ],
  }),
  whoop: password('WHOOP (password)', 'Wristbands, by the older way to connect them.', {
    history_days: 180,
    resources: ['profile', 'body', 'activity', 'sleep', 'workouts', 'hrv', 'blood_oxygen', 'respiratory_rate'],
  }),
  strava,
  renpho: password('Renpho', 'Smart scales.', { device: 'scale', resources: ['body', 'weight', 'fat'] }),
  peloton: password('Peloton', 'Exercise bikes, treadmills and classes.', {
    source_type: 'app',
    history_days: 180,
    device: 'exercise_machine',
    resources: SESSIONS,
  }),
  wahoo,
  zwift: password('Zwift', 'Indoor riding and running.', {
    source_type: 'app',
    history_days: 270,
    device: 'exercise_machine',
    resources: SESSIONS,
  }),
  freestyle_libre: of({
    name: 'Freestyle Libre',
    description: 'Glucose sensors, shared with a practice.',
    auth_type: 'email',
    device: 'automatic',
    resources: DIABETES,
  }),
  abbott_libreview: password('Abbott LibreView', 'Glucose sensors, read from the account of their wearer.', {
    history_days: 90,
    device: 'automatic',
    resources: DIABETES,
  }),
  tandem_source: password('Tandem Source', 'Insulin pumps.', {
    device: 'insulin_pump',
    resources: ['glucose', 'insulin_injection', 'carbohydrates'],
  }),
  freestyle_libre_ble: sdk('Freestyle Libre (Bluetooth)', 'Glucose sensors, read by an app on the phone.', {
    device: 'automatic',
    resources: ['glucose'],
  }),
  eight_sleep: password('8Sleep', 'Mattresses that follow sleep.', {
    history_days: 90,
    device: 'unknown',
    resources: [...NIGHTS, 'heartrate', 'hrv', 'respiratory_rate'],
  }),
  withings,
  apple_health_kit: sdk('Apple HealthKit', 'Health data of an iPhone, sent by an app on it.', {
    source_type: 'app',
    resources: EVERYTHING,
  }),
  manual: of({
    name: 'Manual',
    description: 'Data that people enter themselves.',
    auth_type: '',
    source_type: 'provider',
    device: 'app',
    resources: EVERYTHING,
  }),
  ihealth: oauth('iHealth', 'Blood pressure monitors, scales and glucose meters.', {
    resources: [
      'activity',
      'sleep',
      'body',
      'steps',
      'heartrate',
      'blood_pressure',
      'blood_oxygen',
      'glucose',
      'weight',
      'fat',
    ],
  }),
  google_fit: oauth('Google Fit', 'An app for activity. Google Health API replaces it.', {
    source_type: 'app',
    history_days: 90,
    device: 'phone',
    resources: [
      'activity',
      'sleep',
      'body',
      'workouts',
      'steps',
      'distance',
      'calories_active',
      'heartrate',
      'weight',
      'fat',
    ],
    scopes_to_choose: UNCONNECTED_SCOPES.google_fit,
  }),
  beurer_api: password('Beurer', 'Scales, blood pressure monitors and glucose meters.', {
    resources: ['body', 'weight', 'fat', 'blood_pressure', 'glucose'],
  }),
  beurer_ble: sdk('Beurer (Bluetooth)', 'Meters and monitors, read by an app on the phone.', {
    resources: ['glucose', 'blood_pressure'],
  }),
  omron: oauth('Omron', 'Blood pressure monitors.', { resources: ['body', 'weight', 'fat', 'blood_pressure'] }),
  omron_ble: sdk('Omron (Bluetooth)', 'Blood pressure monitors, read by an app on the phone.', {
    resources: ['blood_pressure'],
  }),
  onetouch_ble: sdk('OneTouch (Bluetooth)', 'Glucose meters, read by an app on the phone.', { resources: ['glucose'] }),
  accuchek_ble: sdk('Accu-Chek (Bluetooth)', 'Glucose meters, read by an app on the phone.', {
    resources: ['glucose'],
  }),
  contour_ble: sdk('Contour (Bluetooth)', 'Glucose meters, read by an app on the phone.', { resources: ['glucose'] }),
  dexcom: password('Dexcom (G6 and older)', 'Glucose sensors, by the older way to connect them.', {
    history_days: 1,
    device: 'automatic',
    resources: ['glucose'],
  }),
  dexcom_v3: dexcomV3,
  hammerhead: password('Hammerhead', 'Bike computers.', {
    device: 'exercise_machine',
    resources: ['workouts', 'workout_stream'],
  }),
  my_fitness_pal: password('MyFitnessPal', 'A food diary, by the older way to connect it.', {
    source_type: 'app',
    history_days: 14,
    device: 'app',
    resources: DIARY,
  }),
  health_connect: sdk('Android Health Connect', 'Health data of an Android phone, sent by an app on it.', {
    source_type: 'app',
    resources: EVERYTHING,
  }),
  samsung_health: sdk('Samsung Health', 'Health data of a Samsung phone, sent by an app on it.', {
    source_type: 'app',
    resources: EVERYTHING,
  }),
  polar,
  cronometer: oauth('Cronometer', 'A food diary.', {
    source_type: 'app',
    history_days: 28,
    device: 'app',
    resources: ['meal', 'activity', 'sleep', 'body', 'weight', 'water', 'caffeine'],
  }),
  kardia: password('Kardia', 'Pocket electrocardiograms.', {
    device: 'fingerprick',
    resources: ['electrocardiogram', 'electrocardiogram_voltage', 'blood_pressure', 'heartrate'],
  }),
  whoop_v2: whoopV2,
  ultrahuman: oauth('Ultrahuman', 'Smart rings and glucose sensors.', {
    device: 'ring',
    resources: [
      'activity',
      ...NIGHTS,
      'workouts',
      'steps',
      'heartrate',
      'hrv',
      'body_temperature',
      'vo2_max',
      'glucose',
    ],
  }),
  my_fitness_pal_v2: oauth('MyFitnessPal API', 'A food diary.', {
    source_type: 'app',
    history_days: 14,
    device: 'app',
    resources: DIARY,
    scopes_to_choose: UNCONNECTED_SCOPES.my_fitness_pal_v2,
  }),
  map_my_fitness: oauth('MapMyFitness', 'An app for running, riding and walking.', {
    source_type: 'app',
    device: 'app',
    resources: ['workouts', 'workout_stream'],
  }),
  runkeeper: oauth('Runkeeper', 'An app for running.', {
    source_type: 'app',
    device: 'app',
    resources: ['workouts', 'body', 'weight'],
  }),
  google_health: googleHealth,
} as const satisfies Record<string, ProviderFacts>;

export type ProviderSlug = keyof typeof PROVIDERS;

export const PROVIDER_SLUGS = Object.keys(PROVIDERS) as [ProviderSlug, ...ProviderSlug[]];

/** Returns the provider with this slug; null if there is none. */
export const providerOrNull = (slug: string): ProviderFacts | null =>
  Object.hasOwn(PROVIDERS, slug) ? PROVIDERS[slug as ProviderSlug] : null;

/** Whether an app on the phone or a person pushes all data of the provider, so that we never pull it. */
export const isPushed = (slug: string): boolean => {
  const auth = providerOrNull(slug)?.auth_type;
  return auth === 'sdk' || auth === '';
};
