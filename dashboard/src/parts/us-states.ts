// The states as the service takes them: by their codes of the United States Postal Service.

/** States, the District of Columbia, territories, freely associated states, and military addresses. */
const NAMES = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
  AS: 'American Samoa',
  GU: 'Guam',
  MH: 'Marshall Islands',
  FM: 'Micronesia',
  MP: 'Northern Mariana Islands',
  PW: 'Palau',
  PR: 'Puerto Rico',
  VI: 'US Virgin Islands',
  AA: 'Armed Forces Americas',
  AE: 'Armed Forces Europe',
  AP: 'Armed Forces Pacific',
} as const;

type StateChoice = { value: string; label: string };

/** Choices of a select: `Arizona (AZ)`, whose value is the code. */
export const US_STATES: readonly StateChoice[] = Object.entries(NAMES).map(([value, name]) => ({
  value,
  label: `${name} (${value})`,
}));

/**
 * Returns the states that a text can mean, the likeliest first: the one with this code, those whose name begins so, and
 * those whose name has it elsewhere.
 */
export function statesLike(text: string): StateChoice[] {
  const sought = text.trim().toLowerCase();
  const rankOf = ({ value, label }: StateChoice): number => {
    if (value.toLowerCase() === sought) return 0;
    const place = label.toLowerCase().indexOf(sought);
    return place < 0 ? 3 : Math.min(place + 1, 2);
  };
  return US_STATES.filter((state) => rankOf(state) < 3).toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Returns the code of a state whose whole name or code is written. */
export function stateWritten(text: string): string | undefined {
  const written = text.trim().toLowerCase();
  const found = Object.entries(NAMES).find(([code, name]) => [code, name].some((it) => it.toLowerCase() === written));
  return found?.[0];
}
