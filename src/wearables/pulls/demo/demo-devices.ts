import { PROVIDERS, type ProviderSlug } from '../../providers/provider-catalogue.ts';
import type { SourceType } from '../../source.ts';
import { ownProperty } from '../../../wire/own-property.ts';
import type { ProviderFacts } from '../../providers/facts.ts';

/** Invented data also names a device as its source. This file chooses the device. */
export type DemoDevice = { provider: ProviderSlug; source_type: SourceType };

/** The source types of resources that are not measured on the wrist, by the names of events. */
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

/** Returns the device for data of this resource and provider. */
export function deviceOf(provider: ProviderSlug, resource: string): DemoDevice {
  const facts: ProviderFacts = PROVIDERS[provider];
  const usual = facts.device ?? 'watch';
  if (usual === 'app') return { provider, source_type: usual };
  const isMeter = facts.source_type === 'ble';
  const glucose: SourceType = usual === 'watch' ? (isMeter ? 'fingerprick' : 'automatic') : usual;
  const source_type = ownProperty(ELSEWHERE, resource) ?? (resource === 'glucose' ? glucose : usual);
  return { provider, source_type: resource === 'glucose' && usual === 'insulin_pump' ? 'automatic' : source_type };
}
