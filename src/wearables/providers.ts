// Whom data of wearables comes from, as users of the interface know them.
import { SERIES } from './resources.ts';

/** How a user connects it: at the provider's own page, by its password or e-mail, through an app on the phone, or not at all. */
export type ProviderAuth = 'oauth' | 'password' | 'email' | 'sdk' | '';

/** What it is: a device with an account, an app, a device that a phone reads, or the person. */
type ProviderKind = 'device' | 'app' | 'ble' | 'provider';

export type Provider = {
  name: string;
  /** A sentence for people. */
  description: string;
  auth_type: ProviderAuth;
  source_type: ProviderKind;
  /** What data of it can be, as events name it; empty where nothing is known of it here. */
  resources: readonly string[];
  /** Days of the past that a new connection brings. */
  history_days: number;
};

/** Summaries, as events name them. */
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

/** What phones keep of many devices: whatever there is. */
const EVERYTHING = [...SUMMARIES, ...SERIES.map(({ event, name }) => event ?? name)];

const DAYS = 30;

type Line = Omit<Provider, 'source_type' | 'resources' | 'history_days'> & Partial<Provider>;
const of = (line: Line): Provider => ({ source_type: 'device', resources: [], history_days: DAYS, ...line });
const oauth = (name: string, description: string, more: Partial<Provider> = {}): Provider =>
  of({ name, description, auth_type: 'oauth', ...more });
const password = (name: string, description: string, more: Partial<Provider> = {}): Provider =>
  of({ name, description, auth_type: 'password', ...more });
const sdk = (name: string, description: string, more: Partial<Provider> = {}): Provider =>
  of({ name, description, auth_type: 'sdk', source_type: 'ble', ...more });

/** Every provider by its slug. Slugs are stable; one that is gone keeps its place for the data that it brought. */
export const PROVIDERS = {
  oura: oauth('Oura', 'Smart rings that follow sleep, activity and recovery.', {
    history_days: 180,
    resources: [
      'profile',
      'activity',
      'sleep',
      'workouts',
      'steps',
      'distance',
      'calories_active',
      'heartrate',
      'hrv',
      'respiratory_rate',
      'blood_oxygen',
      'vo2_max',
    ],
  }),
  fitbit: oauth('Fitbit', 'Trackers and watches. Its interface has ended: Google Health API takes its place.', {
    history_days: 90,
  }),
  garmin: oauth('Garmin', 'Sports watches and bike computers.', { history_days: 90 }),
  whoop: password('WHOOP (password)', 'Wristbands, by the older way to connect them.', { history_days: 180 }),
  strava: oauth('Strava', 'An app for running, riding and other sports.', {
    source_type: 'app',
    history_days: 14,
    resources: ['profile', 'workouts', 'workout_stream'],
  }),
  renpho: password('Renpho', 'Smart scales.'),
  peloton: password('Peloton', 'Exercise bikes, treadmills and classes.', { source_type: 'app', history_days: 180 }),
  wahoo: oauth('Wahoo', 'Bike computers, trainers and sensors.', {
    history_days: 180,
    resources: ['profile', 'workouts'],
  }),
  zwift: password('Zwift', 'Indoor riding and running.', { source_type: 'app', history_days: 270 }),
  freestyle_libre: of({
    name: 'Freestyle Libre',
    description: 'Glucose sensors, shared with a practice.',
    auth_type: 'email',
    resources: ['glucose'],
  }),
  abbott_libreview: password('Abbott LibreView', 'Glucose sensors, read from the account of their wearer.', {
    history_days: 90,
    resources: ['glucose'],
  }),
  tandem_source: password('Tandem Source', 'Insulin pumps.'),
  freestyle_libre_ble: sdk('Freestyle Libre (Bluetooth)', 'Glucose sensors, read by an app on the phone.', {
    resources: ['glucose'],
  }),
  eight_sleep: password('8Sleep', 'Mattresses that follow sleep.', { history_days: 90 }),
  withings: oauth('Withings', 'Scales, watches, blood pressure monitors and sleep mats.', {
    history_days: 90,
    resources: [
      'activity',
      'sleep',
      'body',
      'workouts',
      'steps',
      'distance',
      'floors_climbed',
      'calories_active',
      'heartrate',
      'weight',
      'fat',
      'blood_pressure',
      'blood_oxygen',
      'body_temperature',
      'vo2_max',
    ],
  }),
  apple_health_kit: sdk('Apple HealthKit', 'Health data of an iPhone, sent by an app on it.', {
    source_type: 'app',
    resources: EVERYTHING,
  }),
  manual: of({
    name: 'Manual',
    description: 'What people tell themselves.',
    auth_type: '',
    source_type: 'provider',
    resources: EVERYTHING,
  }),
  ihealth: oauth('iHealth', 'Blood pressure monitors, scales and glucose meters.'),
  google_fit: oauth('Google Fit', 'An app for activity. Google Health API takes its place.', {
    source_type: 'app',
    history_days: 90,
  }),
  beurer_api: password('Beurer', 'Scales, blood pressure monitors and glucose meters.'),
  beurer_ble: sdk('Beurer (Bluetooth)', 'Meters and monitors, read by an app on the phone.', {
    resources: ['glucose', 'blood_pressure'],
  }),
  omron: oauth('Omron', 'Blood pressure monitors.'),
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
    resources: ['glucose'],
  }),
  dexcom_v3: oauth('Dexcom', 'Glucose sensors that are worn around the clock.', { resources: ['glucose'] }),
  hammerhead: password('Hammerhead', 'Bike computers.'),
  my_fitness_pal: password('MyFitnessPal', 'A food diary, by the older way to connect it.', {
    source_type: 'app',
    history_days: 14,
  }),
  health_connect: sdk('Android Health Connect', 'Health data of an Android phone, sent by an app on it.', {
    source_type: 'app',
    resources: EVERYTHING,
  }),
  samsung_health: sdk('Samsung Health', 'Health data of a Samsung phone, sent by an app on it.', {
    source_type: 'app',
    resources: EVERYTHING,
  }),
  polar: oauth('Polar', 'Sports watches and heart rate straps.', {
    history_days: 28,
    resources: [
      'profile',
      'body',
      'activity',
      'sleep',
      'workouts',
      'workout_stream',
      'heartrate',
      'hrv',
      'respiratory_rate',
    ],
  }),
  cronometer: oauth('Cronometer', 'A food diary.', { source_type: 'app', history_days: 28 }),
  kardia: password('Kardia', 'Pocket electrocardiograms.'),
  whoop_v2: oauth('WHOOP', 'Wristbands that follow strain, recovery and sleep.', {
    history_days: 180,
    resources: ['profile', 'body', 'activity', 'sleep', 'workouts', 'hrv', 'blood_oxygen', 'respiratory_rate'],
  }),
  ultrahuman: oauth('Ultrahuman', 'Smart rings and glucose sensors.'),
  my_fitness_pal_v2: oauth('MyFitnessPal API', 'A food diary.', { source_type: 'app', history_days: 14 }),
  map_my_fitness: oauth('MapMyFitness', 'An app for running, riding and walking.', { source_type: 'app' }),
  runkeeper: oauth('Runkeeper', 'An app for running.', { source_type: 'app' }),
  google_health: oauth(
    'Google Health API',
    'Health data of a Google account: Fitbit devices, Pixel watches and phones.',
    {
      source_type: 'app',
      history_days: 90,
      resources: [
        'activity',
        'sleep',
        'workouts',
        'body',
        'steps',
        'distance',
        'calories_active',
        'heartrate',
        'hrv',
        'respiratory_rate',
        'weight',
        'fat',
        'glucose',
        'blood_oxygen',
        'body_temperature',
        'vo2_max',
      ],
    },
  ),
} as const satisfies Record<string, Provider>;

export type ProviderSlug = keyof typeof PROVIDERS;

export const PROVIDER_SLUGS = Object.keys(PROVIDERS) as [ProviderSlug, ...ProviderSlug[]];

/** The provider of that slug; null where there is none. */
export const providerOrNull = (slug: string): Provider | null =>
  Object.hasOwn(PROVIDERS, slug) ? PROVIDERS[slug as ProviderSlug] : null;
