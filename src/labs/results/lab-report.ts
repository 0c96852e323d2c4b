import type { Static } from 'typebox';
import type { FAILURE_TYPES, RESULT_TYPES, SampleInformation, ZonedTimestamp } from './schemas.ts';

type Zoned = Static<typeof ZonedTimestamp>;
type Samples = Static<typeof SampleInformation>;

/**
 * A laboratory's report about an order, as the laboratory sent it. The code for each kind of laboratory only changes
 * its format. `storeReport` interprets the report and stores it.
 */
export type LabReport = {
  /**
   * The status of the complete report. partial: the laboratory will send more. corrected: the report changes values
   * that were already final.
   */
  status: 'partial' | 'final' | 'corrected';
  /**
   * The tests about which the laboratory reports. Null if it reports only about the entire order. Then `status` applies
   * to all tests.
   */
  tests: ReportedTest[] | null;
  /**
   * True if we could not read a part of the report and discarded it. Values that are missing may have been in that
   * part.
   */
  set_aside?: boolean;
  /**
   * The numbers of the order and its sample. placer: the number that we gave to the order. filler: the number that the
   * laboratory gave to the order. accession: the number that the laboratory gave to the sample.
   */
  placer_number: string | null;
  filler_number: string | null;
  accession_number: string | null;
  /** The number of the account, at the laboratory, to which the tests belong. */
  account_number: string | null;
  /** Each time in the report comes with the offset of the laboratory's clock from UTC, in seconds. */
  collected_at: Zoned | null;
  received_at: Zoned | null;
  /** The time of the newest result of this report. A single value or test may have its own time. */
  reported_at: Zoned;
  /**
   * The time at which the laboratory wrote the message (MSH-7). If the results of two reports have the same time, this
   * time decides which report is newer.
   */
  message_at?: Zoned | null;
  /** True if no result of the report has its own time. Then `reported_at` is equal to `message_at`. */
  undated?: true;
  /**
   * The patient as the laboratory sent it. We only compare it with the order's patient, and always show the order's
   * patient.
   */
  patient: ReportedPatient | null;
  /** The physician's name in one line. */
  provider: string | null;
  laboratory: { name: string; clia_number: string | null };
  /** Each key is the name by which observations refer to the laboratory. */
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
  /**
   * All identifiers of the patient (PID-3, PID-2, PID-4). For each identifier: the authority that assigned it, and its
   * type (HL7 table 0203), if we know them.
   */
  ids?: { id: string; authority: string | null; type: string | null }[];
};

/** A code with its text and its coding system, such as `LN` or `SCT` (HL7 table 0396). */
export type Coding = { code: string; text: string | null; system: string | null };

/**
 * The part of a report about one test. In HL7, this is an OBR segment and the segments after it. The laboratory may
 * report a test that the order does not contain.
 */
export type ReportedTest = {
  /** A corrected test has the status final. cancelled: the test has no result and will get none. */
  status: 'partial' | 'final' | 'cancelled';
  /**
   * The test or order that our number in this part of the report names: the position of an ordered test, starting at 1,
   * or 'order' for the entire order. Null if the part contains no number that we issued.
   */
  names: number | 'order' | null;
  /** The laboratory's codes of the test, and the name of the test if we know it. */
  codes: string[];
  name?: string;
  /** Notes about the test, if the report has no value of the test to which we could add them. */
  notes?: string | null;
  /** The slugs of the analytes for which this part of the report contains an entry. */
  analytes: string[];
  /** True if the report contains neither values nor documents of the test. */
  empty: boolean;
  /**
   * The status that the laboratory reported for the test; null if we could not read that status. The field is present
   * only if the report has a value that we could not read and that may belong to this test. Until somebody repairs that
   * value, `status` is partial.
   */
  stated_status?: 'partial' | 'final' | 'cancelled' | null;
  /**
   * The numbers of this test (ours is the placer number, the laboratory's is the filler number) and of its samples
   * (accession numbers). `reported_at` is the time at which the laboratory reported the test (OBR-22).
   */
  placer_number?: string | null;
  filler_number?: string | null;
  accession_numbers?: string[];
  sample_ids?: string[];
  reported_at?: Zoned | null;
  /**
   * The reasons for which the laboratory rejected the samples of this test (SPM-21, HL7 table 0490). Empty if it
   * rejected none.
   */
  rejected?: string[];
  /** True if the report contains a document of this test. */
  has_document?: boolean;
};

/** One value of a report, or the laboratory's statement that there is no value. */
export type Observation = {
  /**
   * What was measured: the analyte to which the laboratory's code is mapped, the LOINC code, and the laboratory's own
   * code. A field is null if we do not know it.
   */
  analyte_slug: string | null;
  loinc: string | null;
  code: string | null;
  /** All codes by which the laboratory identifies the value (OBX-3). */
  codings?: Coding[];
  name: string;
  /** A number or text that distinguishes several observations with the same code (OBX-4). Null if there is only one. */
  sub_id: string | null;
  /** The type that the laboratory states. If the text does not fit this type, we use the type that fits the text. */
  kind: (typeof RESULT_TYPES)[number];
  text: string;
  /**
   * The codes of a value that is a code (OBX-5), such as a SNOMED code for a bacterium. `text` contains their texts.
   */
  coded?: Coding[];
  unit: string | null;
  reference_range: string | null;
  /** All flags that the laboratory sent (HL7 table 0078). */
  flags: string[];
  /**
   * withdrawn: the value was wrong, or belongs to another patient. not_obtained: there is no value and there will be
   * none; `text` or `notes` states why. A report contains no values that are still pending.
   */
  status: 'partial' | 'final' | 'corrected' | 'withdrawn' | 'not_obtained';
  /**
   * The reason why there is no value, if the laboratory sent it as a code. If it sent no code, we derive the reason
   * from its text.
   */
  failure: FailureType | null;
  notes: string | null;
  /** A key of `performing_laboratories`. */
  performing_laboratory: string | null;
  sample_id: string | null;
  /**
   * The time at which the value was reported (OBR-22 of its test). It is null or missing if the value has no time of
   * its own.
   */
  reported_at?: Zoned | null;
};

export type FailureType = (typeof FAILURE_TYPES)[number];
