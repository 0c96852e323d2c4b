// The invented people of a demo clinic. Nobody of them exists, and neither do their streets.
import type { Static } from 'typebox';
import type { UserInfoInput } from '../users/schemas.ts';

/** Where a person lives. The zip codes exist, so that service centers and time zones are found for them. */
type Town = { city: string; state: string; zip: string; zone: string };

const TOWNS = {
  phoenix: { city: 'Phoenix', state: 'AZ', zip: '85004', zone: 'America/Phoenix' },
  tucson: { city: 'Tucson', state: 'AZ', zip: '85701', zone: 'America/Phoenix' },
  denver: { city: 'Denver', state: 'CO', zip: '80202', zone: 'America/Denver' },
  chicago: { city: 'Chicago', state: 'IL', zip: '60601', zone: 'America/Chicago' },
  austin: { city: 'Austin', state: 'TX', zip: '78701', zone: 'America/Chicago' },
  seattle: { city: 'Seattle', state: 'WA', zip: '98101', zone: 'America/Los_Angeles' },
  boston: { city: 'Boston', state: 'MA', zip: '02108', zone: 'America/New_York' },
  honolulu: { city: 'Honolulu', state: 'HI', zip: '96813', zone: 'Pacific/Honolulu' },
} satisfies Record<string, Town>;

type Line = [first: string, last: string, gender: 'female' | 'male', dob: string, town: keyof typeof TOWNS];

/**
 * Elena Marsh is the name of two people. The simulated laboratory loses the numbers of an order whose patient is called
 * Unmatched, so that the result waits for a decision. The laboratory that speaks HL7 refuses the first message about
 * Refused, and makes mistakes in the results of Misflagged and Miswritten.
 */
const LINES: readonly Line[] = [
  ['Elena', 'Marsh', 'female', '1984-03-19', 'phoenix'],
  ['Tobias', 'Fennick', 'male', '1971-11-02', 'phoenix'],
  ['Priya', 'Quillon', 'female', '1990-07-25', 'denver'],
  ['Marcus', 'Oldham', 'male', '1966-01-14', 'chicago'],
  ['Ingrid', 'Vastra', 'female', '1979-09-08', 'seattle'],
  ['Joaquin', 'Belmar', 'male', '1995-05-30', 'tucson'],
  ['Hana', 'Kestrel', 'female', '1988-12-11', 'honolulu'],
  ['Desmond', 'Yarrow', 'male', '1958-04-03', 'boston'],
  ['Elena', 'Marsh', 'female', '1961-10-27', 'chicago'],
  ['Noor', 'Unmatched', 'female', '1993-02-16', 'phoenix'],
  ['Callum', 'Refused', 'male', '1982-08-21', 'austin'],
  ['Rosa', 'Misflagged', 'female', '1975-06-05', 'phoenix'],
  ['Viktor', 'Lund-Hale', 'male', '1969-03-12', 'tucson'],
  ['Amara', 'Miswritten', 'female', '1998-11-23', 'denver'],
  ['Benedict', 'Cray', 'male', '1986-07-17', 'seattle'],
  ['Lucia', 'Ferrand', 'female', '1954-02-28', 'boston'],
  ['Samuel', 'Brookhurst', 'male', '1991-09-14', 'phoenix'],
  ['Yuki', 'Tanabe', 'female', '1983-01-06', 'honolulu'],
  ['Gareth', 'Pellow', 'male', '1977-12-19', 'austin'],
  ['Miriam', 'Saltz', 'female', '1964-05-22', 'chicago'],
  ['Dario', 'Castellane', 'male', '1989-10-10', 'phoenix'],
  ['Freya', 'Holmgard', 'female', '1996-04-29', 'denver'],
  ['Ibrahim', 'Nasser', 'male', '1973-08-01', 'tucson'],
  ['Clara', 'Winfield', 'female', '1981-03-03', 'phoenix'],
  ['Owen', 'Radley', 'male', '1999-06-18', 'seattle'],
  ['Beatriz', 'Almeida', 'female', '1970-11-29', 'boston'],
  ['Theo', 'Marchetti', 'male', '1985-02-07', 'phoenix'],
  ['Saoirse', 'Finlay', 'female', '1992-12-24', 'austin'],
  ['Anders', 'Kvist', 'male', '1963-07-13', 'chicago'],
  ['Leila', 'Haddad', 'female', '1987-05-16', 'phoenix'],
  ['Patrick', 'Dunmore', 'male', '1956-09-26', 'tucson'],
  ['Mei', 'Zhou-Carter', 'female', '1994-01-31', 'honolulu'],
  ['Rafael', 'Ortega', 'male', '1978-10-04', 'denver'],
  ['Greta', 'Sommerfeld', 'female', '1968-06-27', 'phoenix'],
  ['Jonah', 'Whitlock', 'male', '1990-04-15', 'seattle'],
  ['Adaeze', 'Bright', 'female', '1980-08-09', 'boston'],
  ['Felix', 'Hartwin', 'male', '1974-12-01', 'phoenix'],
  ['Nadia', 'Petrenko', 'female', '1997-03-21', 'austin'],
  ['Hugo', 'Lasalle', 'male', '1959-11-11', 'chicago'],
  ['Simone', 'Achterberg', 'female', '1965-02-02', 'phoenix'],
];

export type Person = {
  /** Unique in the team. A person who is there already, because a step ran before, is not made again. */
  client_user_id: string;
  time_zone: string;
  /** Demographics with every key, as the check of a request fills in null for what is missing. */
  info: Required<Static<typeof UserInfoInput>> & { address: { second_line: string } };
};

const UNKNOWN = {
  medical_proxy: null,
  race: null,
  ethnicity: null,
  sexual_orientation: null,
  gender_identity: null,
} as const;

export const PEOPLE: readonly Person[] = LINES.map(([first_name, last_name, gender, dob, at], n) => {
  const { zone, city, state, zip } = TOWNS[at];
  return {
    client_user_id: `demo-clinic-${String(n + 1).padStart(2, '0')}`,
    time_zone: zone,
    info: {
      first_name,
      last_name,
      gender,
      dob,
      // Two people have the same name, so their e-mail addresses have a number.
      email: `${first_name}.${last_name}.${n + 1}@example.com`.toLowerCase(),
      phone_number: `+160255501${String(n + 1).padStart(2, '0')}`,
      address: {
        first_line: `${100 + n * 7} Invented Street`,
        second_line: '',
        city,
        state,
        zip,
        country: 'United States',
        access_notes: null,
      },
      ...UNKNOWN,
    },
  };
});
