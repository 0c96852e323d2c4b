import { PROVIDERS, type Provider, type ProviderSlug } from '../../providers/catalogue.ts';
import type { SourceType } from '../../source.ts';
import { ownOf } from '../../../wire/own.ts';

/** What invented data seems to be measured by. */
export type DemoDevice = { provider: ProviderSlug; source_type: SourceType };

/** Of providers whose devices are not worn on the wrist. */
const DEVICES: Partial<Record<ProviderSlug, SourceType>> = {
  oura: 'ring',
  ultrahuman: 'ring',
  renpho: 'scale',
  eight_sleep: 'unknown',
  peloton: 'exercise_machine',
  zwift: 'exercise_machine',
  wahoo: 'exercise_machine',
  hammerhead: 'exercise_machine',
  kardia: 'fingerprick',
  strava: 'app',
  map_my_fitness: 'app',
  runkeeper: 'app',
  cronometer: 'app',
  my_fitness_pal: 'app',
  my_fitness_pal_v2: 'app',
  manual: 'app',
  google_health: 'multiple_sources',
  google_fit: 'phone',
  dexcom: 'automatic',
  dexcom_v3: 'automatic',
  freestyle_libre: 'automatic',
  freestyle_libre_ble: 'automatic',
  abbott_libreview: 'automatic',
  tandem_source: 'insulin_pump',
};

/** What nobody measures on the wrist, by the names of events. */
const ELSEWHERE: Readonly<Record<string, SourceType>> = {
  body: 'scale',
  weight: 'scale',
  fat: 'scale',
  body_mass_index: 'scale',
  lean_body_mass: 'scale',
  waist_circumference: 'app',
  blood_pressure: 'cuff',
  meal: 'app',
  water: 'app',
  caffeine: 'app',
  carbohydrates: 'app',
  note: 'app',
  menstrual_cycle: 'app',
  cholesterol: 'lab',
  igg: 'lab',
  ige: 'lab',
};

/** The device that a resource of a provider seems to come from. */
export function deviceOf(provider: ProviderSlug, resource: string): DemoDevice {
  const usual = DEVICES[provider] ?? 'watch';
  if (usual === 'app') return { provider, source_type: usual };
  const isMeter = (PROVIDERS[provider] as Provider).source_type === 'ble';
  const glucose: SourceType = usual === 'watch' ? (isMeter ? 'fingerprick' : 'automatic') : usual;
  const source_type = ownOf(ELSEWHERE, resource) ?? (resource === 'glucose' ? glucose : usual);
  return { provider, source_type: resource === 'glucose' && usual === 'insulin_pump' ? 'automatic' : source_type };
}
