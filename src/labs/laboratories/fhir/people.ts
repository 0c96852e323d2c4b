import type { ContactPoint, Organization, Patient, Practitioner } from 'fhir/r4.js';
import type { LoadedOrder } from '../../orders/load-order.ts';
import { idOf } from './references.ts';

const GENDERS: ReadonlySet<string> = new Set(['male', 'female', 'other', 'unknown']);
const NPI = 'http://hl7.org/fhir/sid/us-npi';
const CLIA = 'urn:oid:2.16.840.1.113883.4.7';

/** Returns the patient of an order. Until somebody registers a kit, we know only the ids of its user. */
export function patientOf({ row, user }: LoadedOrder): Patient {
  const { patient_details: details, patient_address: address } = row;
  const telecom: ContactPoint[] = [
    ...(details?.phone_number ? [{ system: 'phone', value: details.phone_number } as const] : []),
    ...(details?.email ? [{ system: 'email', value: details.email } as const] : []),
  ];
  return {
    resourceType: 'Patient',
    id: row.user_id,
    identifier: [
      {
        type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
        value: user.client_user_id,
      },
    ],
    ...(details && {
      name: [
        {
          use: 'official',
          ...(details.last_name ? { family: details.last_name } : {}),
          ...(details.first_name ? { given: [details.first_name] } : {}),
        },
      ],
      birthDate: details.dob,
      gender: (GENDERS.has(details.gender) ? details.gender : 'unknown') as NonNullable<Patient['gender']>,
    }),
    ...(telecom.length > 0 && { telecom }),
    ...(address && {
      address: [
        {
          use: 'home',
          line: [address.first_line, ...(address.second_line ? [address.second_line] : [])],
          city: address.city,
          state: address.state,
          postalCode: address.zip,
          country: address.country,
        },
      ],
    }),
  };
}

/** Returns the ordering physician; null if the order names none. */
export function practitionerOf({ row }: LoadedOrder): Practitioner | null {
  const { physician } = row;
  return (
    physician && {
      resourceType: 'Practitioner',
      id: idOf(row.id, 'physician', physician.npi),
      identifier: [{ system: NPI, value: physician.npi }],
      name: [{ family: physician.last_name, given: [physician.first_name] }],
    }
  );
}

export const organizationIdOf = (orderId: string, name: string): string => idOf(orderId, 'laboratory', name);

/** Returns a laboratory with its name. Results contain no other data about the laboratory. */
export const organizationOf = (orderId: string, name: string, clia: string | null = null): Organization => ({
  resourceType: 'Organization',
  id: organizationIdOf(orderId, name),
  name,
  ...(clia !== null && { identifier: [{ system: CLIA, value: clia }] }),
});
