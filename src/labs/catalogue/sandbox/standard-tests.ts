/** The ids of the laboratories that the catalogue migration inserts. */
const KIT_LAB = 1;
const REFERENCE_LAB = 2;

/**
 * Ids, by slug, of those markers of the kit laboratory that the tests below use. The catalogue migration inserts them.
 */
export const KIT_MARKERS = {
  'hemoglobin-a1c': 1001,
  'glucose-fasting': 1004,
  insulin: 1005,
  'apolipoprotein-b': 1013,
  'lipoprotein-a': 1014,
  tsh: 1015,
  'vitamin-d-25-oh': 1021,
  'vitamin-b12': 1023,
  folate: 1024,
  ferritin: 1025,
  'hs-crp': 1029,
  'testosterone-total': 1031,
  shbg: 1033,
  estradiol: 1034,
  progesterone: 1035,
  fsh: 1036,
  lh: 1037,
  prolactin: 1038,
  'dhea-s': 1039,
  cortisol: 1040,
  psa: 1041,
  chlamydia: 1063,
  gonorrhea: 1065,
  'hiv-ag-ab': 1066,
  'hepatitis-b-surface-antigen': 1067,
  'syphilis-rpr': 1068,
  'lipid-panel': 1101,
  'thyroid-panel': 1102,
} as const;

/** Ids, by slug, of those markers of the reference laboratory that the tests below use. */
export const REFERENCE_MARKERS = {
  'hemoglobin-a1c': 2001,
  tsh: 2015,
  'vitamin-d-25-oh': 2021,
  'comprehensive-metabolic-panel': 2101,
  'complete-blood-count': 2102,
  'lipid-panel': 2103,
  'thyroid-panel': 2104,
  'iron-panel': 2105,
} as const;

/** A lab test that every new team gets. No two have the same slug. */
export type StandardTest = {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly sample_type: 'dried_blood_spot' | 'arm_collector' | 'serum' | 'urine';
  readonly method: 'testkit' | 'walk_in_test' | 'at_home_phlebotomy' | 'on_site_collection';
  readonly lab_id: number;
  /** The markers in the order in which clients see them. No two of them contain the same analyte. */
  readonly marker_ids: readonly number[];
  /** An invented price in US dollars. */
  readonly price: number;
  readonly fasting: boolean;
  /** Usual number of days from the sample's arrival at the laboratory to the result. */
  readonly common_tat_days: number;
  readonly worst_case_tat_days: number;
  /**
   * Whether this is the default kit. When somebody registers a sample that we do not know, a new order begins with the
   * default kit. Exactly one standard test is the default kit.
   */
  readonly is_default_kit: boolean;
};

const kit = KIT_MARKERS;
const reference = REFERENCE_MARKERS;

const kitBasics = {
  method: 'testkit',
  lab_id: KIT_LAB,
  common_tat_days: 3,
  worst_case_tat_days: 7,
  is_default_kit: false,
} as const;

const drawBasics = {
  sample_type: 'serum',
  lab_id: REFERENCE_LAB,
  common_tat_days: 2,
  worst_case_tat_days: 5,
  is_default_kit: false,
} as const;

/** One test per collection method, with the default kit first. The at-home panels follow. */
export const STANDARD_TESTS: readonly StandardTest[] = [
  {
    ...kitBasics,
    slug: 'standard-testkit',
    name: 'Standard test kit',
    description: 'A first look from a few drops of blood: blood sugar, lipids, inflammation, thyroid and vitamin D.',
    sample_type: 'dried_blood_spot',
    marker_ids: [kit['hemoglobin-a1c'], kit['lipid-panel'], kit['hs-crp'], kit.tsh, kit['vitamin-d-25-oh']],
    price: 89,
    fasting: false,
    is_default_kit: true,
  },
  {
    ...drawBasics,
    slug: 'standard-walk-in',
    name: 'Standard walk-in test',
    description: 'A check-up drawn at a patient service center: metabolism, blood counts, lipids and blood sugar.',
    method: 'walk_in_test',
    marker_ids: [
      reference['comprehensive-metabolic-panel'],
      reference['complete-blood-count'],
      reference['lipid-panel'],
      reference['hemoglobin-a1c'],
    ],
    price: 59,
    fasting: true,
  },
  {
    ...drawBasics,
    slug: 'standard-at-home-phlebotomy',
    name: 'Standard at-home phlebotomy',
    description: 'A check-up drawn at home by a phlebotomist: metabolism, blood counts, lipids, thyroid and iron.',
    method: 'at_home_phlebotomy',
    marker_ids: [
      reference['comprehensive-metabolic-panel'],
      reference['complete-blood-count'],
      reference['lipid-panel'],
      reference['thyroid-panel'],
      reference['iron-panel'],
    ],
    price: 149,
    fasting: true,
  },
  {
    ...drawBasics,
    slug: 'standard-on-site',
    name: 'Standard on-site collection',
    description: 'A check-up drawn by your own staff: metabolism, blood counts, blood sugar, thyroid and vitamin D.',
    method: 'on_site_collection',
    marker_ids: [
      reference['comprehensive-metabolic-panel'],
      reference['complete-blood-count'],
      reference['hemoglobin-a1c'],
      reference.tsh,
      reference['vitamin-d-25-oh'],
    ],
    price: 69,
    fasting: false,
  },
  {
    ...kitBasics,
    slug: 'heart-health',
    name: 'Heart health panel',
    description: 'Cholesterol, triglycerides, apolipoprotein B, lipoprotein(a) and low-grade inflammation.',
    sample_type: 'dried_blood_spot',
    marker_ids: [kit['lipid-panel'], kit['apolipoprotein-b'], kit['lipoprotein-a'], kit['hs-crp']],
    price: 99,
    fasting: true,
  },
  {
    ...kitBasics,
    slug: 'thyroid-health',
    name: 'Thyroid panel',
    description: 'TSH, free T4, free T3 and thyroid peroxidase antibody.',
    sample_type: 'dried_blood_spot',
    marker_ids: [kit['thyroid-panel']],
    price: 79,
    fasting: false,
  },
  {
    ...kitBasics,
    slug: 'hormones-women',
    name: 'Hormone panel for women',
    description: 'Estradiol, progesterone, FSH, LH, prolactin, testosterone, SHBG and DHEA sulfate.',
    sample_type: 'dried_blood_spot',
    marker_ids: [
      kit.estradiol,
      kit.progesterone,
      kit.fsh,
      kit.lh,
      kit.prolactin,
      kit['testosterone-total'],
      kit.shbg,
      kit['dhea-s'],
    ],
    price: 139,
    fasting: false,
  },
  {
    ...kitBasics,
    slug: 'hormones-men',
    name: 'Hormone panel for men',
    description: 'Testosterone, SHBG, estradiol, LH, cortisol, DHEA sulfate and PSA, taken in the morning.',
    sample_type: 'dried_blood_spot',
    marker_ids: [kit['testosterone-total'], kit.shbg, kit.estradiol, kit.lh, kit.cortisol, kit['dhea-s'], kit.psa],
    price: 129,
    fasting: false,
  },
  {
    ...kitBasics,
    slug: 'metabolic-health',
    name: 'Metabolic health panel',
    description: 'Hemoglobin A1c, fasting glucose, insulin and lipids, for the risk of diabetes.',
    sample_type: 'arm_collector',
    marker_ids: [kit['hemoglobin-a1c'], kit['glucose-fasting'], kit.insulin, kit['lipid-panel']],
    price: 89,
    fasting: true,
  },
  {
    ...kitBasics,
    slug: 'vitamins-and-nutrients',
    name: 'Vitamin and nutrient panel',
    description: 'Vitamin D, vitamin B12, folate and ferritin.',
    sample_type: 'arm_collector',
    marker_ids: [kit['vitamin-d-25-oh'], kit['vitamin-b12'], kit.folate, kit.ferritin],
    price: 89,
    fasting: false,
  },
  {
    ...kitBasics,
    slug: 'sexual-health-urine',
    name: 'Sexual health panel, urine',
    description: 'Chlamydia and gonorrhea from a urine sample.',
    sample_type: 'urine',
    marker_ids: [kit.chlamydia, kit.gonorrhea],
    price: 79,
    fasting: false,
  },
  {
    ...kitBasics,
    slug: 'sexual-health-blood',
    name: 'Sexual health panel, blood',
    description: 'Screening for HIV, hepatitis B and syphilis from a few drops of blood.',
    sample_type: 'dried_blood_spot',
    marker_ids: [kit['hiv-ag-ab'], kit['hepatitis-b-surface-antigen'], kit['syphilis-rpr']],
    price: 89,
    fasting: false,
  },
  {
    ...kitBasics,
    slug: 'inflammation',
    name: 'Inflammation panel',
    description: 'High-sensitivity CRP, ferritin and hemoglobin A1c.',
    sample_type: 'dried_blood_spot',
    marker_ids: [kit['hs-crp'], kit.ferritin, kit['hemoglobin-a1c']],
    price: 69,
    fasting: false,
  },
];
