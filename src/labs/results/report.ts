import type { Static } from 'typebox';
import type { FAILURE_TYPES, RESULT_TYPES, SampleInformation, ZonedTimestamp } from './schemas.ts';

type Zoned = Static<typeof ZonedTimestamp>;
type Samples = Static<typeof SampleInformation>;

/**
 * What a laboratory reports of an order, as it told it: no adapter interprets anything, and none decides what becomes
 * of it. `storeReport` does both.
 */
export type LabReport = {
  /** Of all that it tells. Partial: more is to come. Corrected: it changes what was final before. */
  status: 'partial' | 'final' | 'corrected';
  /** Of each test that it tells of; null where it tells of the whole order as one, which its status then is of. */
  tests: ReportedTest[] | null;
  /** A part of it could not be read and was discarded: what is missing may have stood there. */
  set_aside?: boolean;
  /** The numbers by which it was asked for and filed: of the order, of the laboratory, of the sample received. */
  placer_number: string | null;
  filler_number: string | null;
  accession_number: string | null;
  /** The account with the laboratory for which it was done. */
  account_number: string | null;
  /** With the offset of the laboratory's clock in seconds. */
  collected_at: Zoned | null;
  received_at: Zoned | null;
  /** When the newest of its results were reported; each value and each test may say its own time. */
  reported_at: Zoned;
  /** When the message was written (MSH-7), which orders two reports of one time of results. */
  message_at?: Zoned | null;
  /** It says of none of its results when they were reported: `reported_at` is `message_at`. */
  undated?: true;
  /** As the laboratory has them: to be compared with the order's, never told instead of them. */
  patient: ReportedPatient | null;
  /** The physician, in one line. */
  provider: string | null;
  laboratory: { name: string; clia_number: string | null };
  /** By the names that observations call them by. */
  performing_laboratories: NonNullable<Samples[string]['performing_laboratories']>;
  samples: {
    sample_id: string;
    control_number: string | null;
    collected_at: Zoned | null;
    received_at: Zoned | null;
    clinical_information: Samples[string]['clinical_information'];
  }[];
  observations: Observation[];
};

export type ReportedPatient = {
  first_name: string | null;
  last_name: string | null;
  dob: string | null;
  gender: string | null;
  /** Every identifier (PID-3, PID-2, PID-4), with who assigned it and its type (HL7 table 0203) where that is told. */
  ids?: { id: string; authority: string | null; type: string | null }[];
};

/** A code with the words and the coding system that came with it, as `LN` or `SCT` (HL7 table 0396). */
export type Coding = { code: string; text: string | null; system: string | null };

/** What a report says of one test (of HL7: an OBR with what follows it), be it one of the ordered ones or another. */
export type ReportedTest = {
  /** Corrected is final. Cancelled: there is no result, and will be none. */
  status: 'partial' | 'final' | 'cancelled';
  /**
   * What the number that was issued names: an ordered test by its place, from 1, or the order; null without such a
   * number.
   */
  names: number | 'order' | null;
  /** The laboratory's codes of the test, and its name as far as it is told. */
  codes: string[];
  name?: string;
  /** Of the test itself, where the report has no value of it that they stand with. */
  notes?: string | null;
  /** The slugs of the analytes of which it tells something. */
  analytes: string[];
  /** There is nothing with it: neither values nor documents. */
  empty: boolean;
  /**
   * Some of its values could not be read and wait, or a value waits that may be of it. `status` is partial as long as
   * they do, and this is what the laboratory called it; null where that could not be read, absent where nothing waits.
   */
  stated_status?: 'partial' | 'final' | 'cancelled' | null;
  /**
   * The numbers of this test, ours and the laboratory's, when it was reported (OBR-22), and of which samples it was
   * done.
   */
  placer_number?: string | null;
  filler_number?: string | null;
  accession_numbers?: string[];
  sample_ids?: string[];
  reported_at?: Zoned | null;
  /** Why its samples were rejected (SPM-21, HL7 table 0490); empty where none was. */
  rejected?: string[];
  /** A document came with it. */
  has_document?: boolean;
};

/** One value of a report, or that there is none. */
export type Observation = {
  /** What it is, as far as the laboratory said: the analyte by the laboratory's code map, its LOINC, its own code. */
  analyte_slug: string | null;
  loinc: string | null;
  code: string | null;
  /** Every code by which the laboratory called it (OBX-3). */
  codings?: Coding[];
  name: string;
  /** Tells several observations of one code apart; null where there is one. */
  sub_id: string | null;
  /** How the laboratory calls it; the text decides where it does not bear that out. */
  kind: (typeof RESULT_TYPES)[number];
  text: string;
  /** The codes of a coded value (OBX-5), of which `text` has the words. */
  coded?: Coding[];
  unit: string | null;
  reference_range: string | null;
  /** HL7 table 0078, as many as were sent. */
  flags: string[];
  /**
   * Withdrawn: it was never this patient's, or never true. Not obtained: there is no value and will be none, which
   * `text` or `notes` says why. Pending values are left out of a report.
   */
  status: 'partial' | 'final' | 'corrected' | 'withdrawn' | 'not_obtained';
  /** Why there is no value, where the laboratory said so by a code; else its words are read. */
  failure: FailureType | null;
  notes: string | null;
  /** A key of `performing_laboratories`. */
  performing_laboratory: string | null;
  sample_id: string | null;
  /** When it was reported (OBR-22 of its test); null or absent where that is not told apart from the report's time. */
  reported_at?: Zoned | null;
};

export type FailureType = (typeof FAILURE_TYPES)[number];
