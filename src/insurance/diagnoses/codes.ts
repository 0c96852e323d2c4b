import { CODES_A_TO_I } from './codes-a-to-i.ts';
import { CODES_J_TO_Z } from './codes-j-to-z.ts';

export type Diagnosis = {
  code: string;
  description: string;
  /** True if the code may be used only together with another diagnosis. */
  isSecondary: boolean;
};

/**
 * A subset of ICD-10-CM: codes that are common in primary care and in laboratory orders. Each code can be billed and
 * has its official description. ICD-10-CM is a work of the United States government and in the public domain. It
 * contains about 70,000 codes, so a code that is missing here may still exist. The keys of this map are codes with a
 * point. In the two lists, an asterisk after a code means that the code may be used only together with another
 * diagnosis.
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
