import type { Coding } from 'fhir/r4.js';
import type { Static } from 'typebox';
import type { ResultCode } from '../../results/schemas.ts';

/**
 * The URIs by which FHIR identifies code systems. The keys are names from HL7 table 0396, such as `SCT` for SNOMED CT,
 * and other spellings that laboratories use.
 */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['SCT', 'http://snomed.info/sct'],
  ['SNOMEDCT', 'http://snomed.info/sct'],
  ['SNOMED-CT', 'http://snomed.info/sct'],
  ['LN', 'http://loinc.org'],
  ['LOINC', 'http://loinc.org'],
  ['I10C', 'http://hl7.org/fhir/sid/icd-10-cm'],
  ['I10', 'http://hl7.org/fhir/sid/icd-10'],
  ['CVX', 'http://hl7.org/fhir/sid/cvx'],
  ['RXNORM', 'http://www.nlm.nih.gov/research/umls/rxnorm'],
]);

function systemOf(name: string | null): string | undefined {
  const known = (name ?? '').toUpperCase();
  const [, table] = /^HL7(\d{4})$/.exec(known) ?? [];
  return table === undefined ? SYSTEMS.get(known) : `http://terminology.hl7.org/CodeSystem/v2-${table}`;
}

/**
 * Returns a code as a FHIR coding. A laboratory's own code gets no `system`, because the name of the laboratory's code
 * system has no meaning elsewhere.
 */
export function codingOf({ code, text, system }: Static<typeof ResultCode>): Coding {
  const address = systemOf(system);
  return { ...(address && { system: address }), code, ...(text !== null && { display: text }) };
}
