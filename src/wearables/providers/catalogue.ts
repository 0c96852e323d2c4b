// Whom data of wearables comes from, as users of the interface know them.
import { RESOURCES } from '../provider-resources.ts';

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
  /** What data of it can be, as events name it. */
  resources: readonly string[];
  /** Days of the past that a new connection brings. */
  history_days: number;
};

const DAYS = 30;

type Line = Omit<Provider, 'source_type' | 'history_days'> & Partial<Provider>;
const of = (line: Line): Provider => ({ source_type: 'device', history_days: DAYS, ...line });
const oauth = (name: string, description: string, more: Partial<Provider> & Pick<Provider, 'resources'>): Provider =>
  of({ name, description, auth_type: 'oauth', ...more });
const password = (name: string, description: string, more: Partial<Provider> & Pick<Provider, 'resources'>): Provider =>
  of({ name, description, auth_type: 'password', ...more });
const sdk = (name: string, description: string, more: Partial<Provider> & Pick<Provider, 'resources'>): Provider =>
  of({ name, description, auth_type: 'sdk', source_type: 'ble', ...more });

/** Every provider by its slug. Slugs are stable; one that is gone keeps its place for the data that it brought. */
export const PROVIDERS = {
  oura: oauth('Oura', 'Smart rings that follow sleep, activity and recovery.', {
    history_days: 180,
    resources: RESOURCES.oura,
  }),
  fitbit: oauth('Fitbit', 'Trackers and watches. Its interface has ended: Google Health API takes its place.', {
    history_days: 90,
    resources: RESOURCES.fitbit,
  }),
  garmin: oauth('Garmin', 'Sports watches and bike computers.', {
    history_days: 90,
    resources: RESOURCES.garmin,
  }),
  whoop: password('WHOOP (password)', 'Wristbands, by the older way to connect them.', {
    history_days: 180,
    resources: RESOURCES.whoop,
  }),
  strava: oauth('Strava', 'An app for running, riding and other sports.', {
    source_type: 'app',
    history_days: 14,
    resources: RESOURCES.strava,
  }),
  renpho: password('Renpho', 'Smart scales.', { resources: RESOURCES.renpho }),
  peloton: password('Peloton', 'Exercise bikes, treadmills and classes.', {
    source_type: 'app',
    history_days: 180,
    resources: RESOURCES.peloton,
  }),
  wahoo: oauth('Wahoo', 'Bike computers, trainers and sensors.', {
    history_days: 180,
    resources: RESOURCES.wahoo,
  }),
  zwift: password('Zwift', 'Indoor riding and running.', {
    source_type: 'app',
    history_days: 270,
    resources: RESOURCES.zwift,
  }),
  freestyle_libre: of({
    name: 'Freestyle Libre',
    description: 'Glucose sensors, shared with a practice.',
    auth_type: 'email',
    resources: RESOURCES.freestyle_libre,
  }),
  abbott_libreview: password('Abbott LibreView', 'Glucose sensors, read from the account of their wearer.', {
    history_days: 90,
    resources: RESOURCES.abbott_libreview,
  }),
  tandem_source: password('Tandem Source', 'Insulin pumps.', {
    resources: RESOURCES.tandem_source,
  }),
  freestyle_libre_ble: sdk('Freestyle Libre (Bluetooth)', 'Glucose sensors, read by an app on the phone.', {
    resources: RESOURCES.freestyle_libre_ble,
  }),
  eight_sleep: password('8Sleep', 'Mattresses that follow sleep.', {
    history_days: 90,
    resources: RESOURCES.eight_sleep,
  }),
  withings: oauth('Withings', 'Scales, watches, blood pressure monitors and sleep mats.', {
    history_days: 90,
    resources: RESOURCES.withings,
  }),
  apple_health_kit: sdk('Apple HealthKit', 'Health data of an iPhone, sent by an app on it.', {
    source_type: 'app',
    resources: RESOURCES.apple_health_kit,
  }),
  manual: of({
    name: 'Manual',
    description: 'What people tell themselves.',
    auth_type: '',
    source_type: 'provider',
    resources: RESOURCES.manual,
  }),
  ihealth: oauth('iHealth', 'Blood pressure monitors, scales and glucose meters.', {
    resources: RESOURCES.ihealth,
  }),
  google_fit: oauth('Google Fit', 'An app for activity. Google Health API takes its place.', {
    source_type: 'app',
    history_days: 90,
    resources: RESOURCES.google_fit,
  }),
  beurer_api: password('Beurer', 'Scales, blood pressure monitors and glucose meters.', {
    resources: RESOURCES.beurer_api,
  }),
  beurer_ble: sdk('Beurer (Bluetooth)', 'Meters and monitors, read by an app on the phone.', {
    resources: RESOURCES.beurer_ble,
  }),
  omron: oauth('Omron', 'Blood pressure monitors.', { resources: RESOURCES.omron }),
  omron_ble: sdk('Omron (Bluetooth)', 'Blood pressure monitors, read by an app on the phone.', {
    resources: RESOURCES.omron_ble,
  }),
  onetouch_ble: sdk('OneTouch (Bluetooth)', 'Glucose meters, read by an app on the phone.', {
    resources: RESOURCES.onetouch_ble,
  }),
  accuchek_ble: sdk('Accu-Chek (Bluetooth)', 'Glucose meters, read by an app on the phone.', {
    resources: RESOURCES.accuchek_ble,
  }),
  contour_ble: sdk('Contour (Bluetooth)', 'Glucose meters, read by an app on the phone.', {
    resources: RESOURCES.contour_ble,
  }),
  dexcom: password('Dexcom (G6 and older)', 'Glucose sensors, by the older way to connect them.', {
    history_days: 1,
    resources: RESOURCES.dexcom,
  }),
  dexcom_v3: oauth('Dexcom', 'Glucose sensors that are worn around the clock.', { resources: RESOURCES.dexcom_v3 }),
  hammerhead: password('Hammerhead', 'Bike computers.', { resources: RESOURCES.hammerhead }),
  my_fitness_pal: password('MyFitnessPal', 'A food diary, by the older way to connect it.', {
    source_type: 'app',
    history_days: 14,
    resources: RESOURCES.my_fitness_pal,
  }),
  health_connect: sdk('Android Health Connect', 'Health data of an Android phone, sent by an app on it.', {
    source_type: 'app',
    resources: RESOURCES.health_connect,
  }),
  samsung_health: sdk('Samsung Health', 'Health data of a Samsung phone, sent by an app on it.', {
    source_type: 'app',
    resources: RESOURCES.samsung_health,
  }),
  polar: oauth('Polar', 'Sports watches and heart rate straps.', {
    history_days: 28,
    resources: RESOURCES.polar,
  }),
  cronometer: oauth('Cronometer', 'A food diary.', {
    source_type: 'app',
    history_days: 28,
    resources: RESOURCES.cronometer,
  }),
  kardia: password('Kardia', 'Pocket electrocardiograms.', {
    resources: RESOURCES.kardia,
  }),
  whoop_v2: oauth('WHOOP', 'Wristbands that follow strain, recovery and sleep.', {
    history_days: 180,
    resources: RESOURCES.whoop_v2,
  }),
  ultrahuman: oauth('Ultrahuman', 'Smart rings and glucose sensors.', {
    resources: RESOURCES.ultrahuman,
  }),
  my_fitness_pal_v2: oauth('MyFitnessPal API', 'A food diary.', {
    source_type: 'app',
    history_days: 14,
    resources: RESOURCES.my_fitness_pal_v2,
  }),
  map_my_fitness: oauth('MapMyFitness', 'An app for running, riding and walking.', {
    source_type: 'app',
    resources: RESOURCES.map_my_fitness,
  }),
  runkeeper: oauth('Runkeeper', 'An app for running.', {
    source_type: 'app',
    resources: RESOURCES.runkeeper,
  }),
  google_health: oauth(
    'Google Health API',
    'Health data of a Google account: Fitbit devices, Pixel watches and phones.',
    {
      source_type: 'app',
      history_days: 90,
      resources: RESOURCES.google_health,
    },
  ),
} as const satisfies Record<string, Provider>;

export type ProviderSlug = keyof typeof PROVIDERS;

export const PROVIDER_SLUGS = Object.keys(PROVIDERS) as [ProviderSlug, ...ProviderSlug[]];

/** The provider of that slug; null where there is none. */
export const providerOrNull = (slug: string): Provider | null =>
  Object.hasOwn(PROVIDERS, slug) ? PROVIDERS[slug as ProviderSlug] : null;

/** Whether what comes of it is sent here by an app on the phone or told by the person, and nothing is pulled. */
export const isPushed = (slug: string): boolean => {
  const auth = providerOrNull(slug)?.auth_type;
  return auth === 'sdk' || auth === '';
};
