import { CODES_A_TO_I } from './codes-a-to-i.ts';
import { CODES_J_TO_Z } from './codes-j-to-z.ts';

export type Diagnosis = {
  code: string;
  description: string;
  /** It stands only beside another diagnosis. */
  isSecondary: boolean;
};

/**
 * A subset of ICD-10-CM: codes that are common in primary care and in the ordering of laboratory tests, each one that can
 * be billed, with its official description. ICD-10-CM is a work of the United States government in the public domain;
 * the whole has some 70,000 codes, so that a code which is missing here may well exist. By code, with its point; an asterisk
 * behind it marks what stands only beside another diagnosis.
 */
export const DIAGNOSES: ReadonlyMap<string, Diagnosis> = new Map(
  [CODES_A_TO_I, CODES_J_TO_Z]
    .flatMap((codes) => codes.trim().split('\n'))
    .map((line) => {
      const at = line.indexOf(' ');
      const code = line.slice(0, at).replace('*', '');
      return [code, { code, description: line.slice(at + 1), isSecondary: line.charAt(at - 1) === '*' }];
    }),
);
