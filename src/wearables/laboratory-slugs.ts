/** The laboratories that a request may name instead of a provider. These are only names. Each occurs once. */
export const LABORATORY_SLUGS = [
  'ayumetrix',
  'spiriplex',
  'ussl',
  'quest',
  'sonora_quest',
  'labcorp',
  'bioreference',
  'us_biotek',
  'sanocardio',
  'ihd',
  'nexus',
  'my_uti',
  'crl',
  'mtl',
] as const;
