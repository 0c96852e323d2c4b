/**
 * One of the most common analytes of serum, plasma or blood in reports: its LOINC code, its name in LOINC, the units in
 * which laboratories report it, and its names in lower case.
 */
export type CommonAnalyte = {
  code: string;
  name: string;
  kind: 'direct' | 'calculated' | 'ratio';
  units: string[];
  aliases: string[];
};

/**
 * The codes and names are from LOINC (loinc.org, used under its licence). After the units come the names that
 * laboratories print in reports.
 */
const DIRECT = `
2345-7 | Glucose [Mass/volume] in Serum or Plasma | mg/dL | glucose, glucose serum, glucose plasma
1558-6 | Fasting glucose [Mass/volume] in Serum or Plasma | mg/dL | glucose fasting, fasting glucose
2089-1 | Cholesterol in LDL [Mass/volume] in Serum or Plasma | mg/dL | ldl, ldl cholesterol, ldl c, cholesterol ldl
4548-4 | Hemoglobin A1c/Hemoglobin.total in Blood | % | hemoglobin a1c, hba1c, a1c, hgb a1c, glycated hemoglobin, hemoglobin a1c hba1c
2093-3 | Cholesterol [Mass/volume] in Serum or Plasma | mg/dL | cholesterol, total cholesterol, cholesterol total
2085-9 | Cholesterol in HDL [Mass/volume] in Serum or Plasma | mg/dL | hdl, hdl cholesterol, hdl c, cholesterol hdl
2571-8 | Triglyceride [Mass/volume] in Serum or Plasma | mg/dL | triglycerides, triglyceride, trig
1884-6 | Apolipoprotein B [Mass/volume] in Serum or Plasma | mg/dL | apolipoprotein b, apo b, apob
30522-7 | C reactive protein [Mass/volume] in Serum or Plasma by High sensitivity method | mg/L | hs crp, hscrp, high sensitivity crp, c reactive protein cardiac, c reactive protein high sensitivity
1988-5 | C reactive protein [Mass/volume] in Serum or Plasma | mg/L mg/dL | crp, c reactive protein, c reactive protein quant
3016-3 | Thyrotropin [Units/volume] in Serum or Plasma | mIU/L uIU/mL m[IU]/L u[IU]/mL | tsh, thyroid stimulating hormone, thyrotropin, tsh 3rd generation
3024-7 | Thyroxine (T4) free [Mass/volume] in Serum or Plasma | ng/dL | free t4, t4 free, t4 free direct, thyroxine free
3051-0 | Triiodothyronine (T3) Free [Mass/volume] in Serum or Plasma | pg/mL | free t3, t3 free, triiodothyronine free
8099-4 | Thyroperoxidase Ab [Units/volume] in Serum or Plasma | IU/mL [IU]/mL | tpo antibody, thyroid peroxidase antibodies, thyroid peroxidase tpo ab, anti tpo
62292-8 | 25-Hydroxyvitamin D2+25-Hydroxyvitamin D3 [Mass/volume] in Serum or Plasma | ng/mL | vitamin d, vitamin d 25 oh, vitamin d 25 hydroxy, 25 hydroxyvitamin d, 25 oh vitamin d, vitamin d 25 oh total
2132-9 | Cobalamin (Vitamin B12) [Mass/volume] in Serum or Plasma | pg/mL | vitamin b12, b12, cobalamin
2284-8 | Folate [Mass/volume] in Serum or Plasma | ng/mL | folate, folic acid, folate folic acid serum, folate serum
2276-4 | Ferritin [Mass/volume] in Serum or Plasma | ng/mL | ferritin, ferritin serum
2498-4 | Iron [Mass/volume] in Serum or Plasma | ug/dL mcg/dL | iron, iron total, iron serum
2500-7 | Iron binding capacity [Mass/volume] in Serum or Plasma | ug/dL mcg/dL | tibc, iron binding capacity, iron bind cap tibc, total iron binding capacity
3094-0 | Urea nitrogen [Mass/volume] in Serum or Plasma | mg/dL | bun, urea nitrogen, urea nitrogen bun, blood urea nitrogen
2160-0 | Creatinine [Mass/volume] in Serum or Plasma | mg/dL | creatinine, creatinine serum
2951-2 | Sodium [Moles/volume] in Serum or Plasma | mmol/L mEq/L | sodium, sodium serum, na
2823-3 | Potassium [Moles/volume] in Serum or Plasma | mmol/L mEq/L | potassium, potassium serum
2075-0 | Chloride [Moles/volume] in Serum or Plasma | mmol/L mEq/L | chloride, chloride serum
2028-9 | Carbon dioxide, total [Moles/volume] in Serum or Plasma | mmol/L mEq/L | carbon dioxide, carbon dioxide total, co2, bicarbonate
17861-6 | Calcium [Mass/volume] in Serum or Plasma | mg/dL | calcium, calcium serum
2885-2 | Protein [Mass/volume] in Serum or Plasma | g/dL | total protein, protein total, protein total serum
1751-7 | Albumin [Mass/volume] in Serum or Plasma | g/dL | albumin, albumin serum
1975-2 | Bilirubin.total [Mass/volume] in Serum or Plasma | mg/dL | bilirubin, total bilirubin, bilirubin total
6768-6 | Alkaline phosphatase [Enzymatic activity/volume] in Serum or Plasma | U/L IU/L | alkaline phosphatase, alk phos, alp
1920-8 | Aspartate aminotransferase [Enzymatic activity/volume] in Serum or Plasma | U/L IU/L | ast, ast sgot, aspartate aminotransferase
1742-6 | Alanine aminotransferase [Enzymatic activity/volume] in Serum or Plasma | U/L IU/L | alt, alt sgpt, alanine aminotransferase
2324-2 | Gamma glutamyl transferase [Enzymatic activity/volume] in Serum or Plasma | U/L IU/L | ggt, gamma glutamyl transferase
3084-1 | Urate [Mass/volume] in Serum or Plasma | mg/dL | uric acid, urate
19123-9 | Magnesium [Mass/volume] in Serum or Plasma | mg/dL | magnesium, magnesium serum
6690-2 | Leukocytes [#/volume] in Blood by Automated count | K/uL x10E3/uL Thousand/uL 10*3/uL | wbc, white blood cells, white blood cell count, leukocytes
789-8 | Erythrocytes [#/volume] in Blood by Automated count | M/uL x10E6/uL Million/uL 10*6/uL | rbc, red blood cells, red blood cell count, erythrocytes
718-7 | Hemoglobin [Mass/volume] in Blood | g/dL | hemoglobin, hgb, hb
4544-3 | Hematocrit [Volume Fraction] of Blood by Automated count | % | hematocrit, hct
787-2 | MCV [Entitic mean volume] in Red Blood Cells by Automated count | fL | mcv, mean corpuscular volume
785-6 | MCH [Entitic mass] by Automated count | pg | mch, mean corpuscular hemoglobin
786-4 | MCHC [Entitic Mass/volume] in Red Blood Cells by Automated count | g/dL | mchc
788-0 | Erythrocyte [DistWidth] in Blood by Automated count | % | rdw, red cell distribution width
777-3 | Platelets [#/volume] in Blood by Automated count | K/uL x10E3/uL Thousand/uL 10*3/uL | platelets, platelet count, plt
2986-8 | Testosterone [Mass/volume] in Serum or Plasma | ng/dL | testosterone, testosterone total, testosterone serum, total testosterone
2243-4 | Estradiol (E2) [Mass/volume] in Serum or Plasma | pg/mL | estradiol, estradiol e2
2143-6 | Cortisol [Mass/volume] in Serum or Plasma | ug/dL mcg/dL | cortisol, cortisol total
2857-1 | Prostate specific Ag [Mass/volume] in Serum or Plasma | ng/mL | psa, psa total, prostate specific antigen, prostate specific ag
20448-7 | Insulin [Units/volume] in Serum or Plasma | uIU/mL u[IU]/mL | insulin, insulin fasting
13965-9 | Homocysteine [Moles/volume] in Serum or Plasma | umol/L | homocysteine
`;

const CALCULATED = `
13457-7 | Cholesterol in LDL [Mass/volume] in Serum or Plasma by calculation | mg/dL | ldl cholesterol calc, ldl chol calc nih, ldl calculated, ldl cholesterol calculated, ldl calc
13458-5 | Cholesterol in VLDL [Mass/volume] in Serum or Plasma by calculation | mg/dL | vldl, vldl cholesterol, vldl cholesterol cal, vldl cholesterol calc
43396-1 | Cholesterol non HDL [Mass/volume] in Serum or Plasma | mg/dL | non hdl cholesterol, non hdl
2502-3 | Iron saturation [Mass Fraction] in Serum or Plasma | % | iron saturation, saturation, transferrin saturation
98979-8 | Glomerular filtration rate [Volume Rate/Area] in Serum, Plasma or Blood by Creatinine-based formula (CKD-EPI 2021)/1.73 sq M | mL/min/1.73 mL/min/1.73m2 mL/min/{1.73_m2} | egfr, estimated gfr, glomerular filtration rate
10834-0 | Globulin [Mass/volume] in Serum by calculation | g/dL | globulin, globulin total, globulin calculated
`;

const RATIOS = `
9830-1 | Cholesterol.total/Cholesterol in HDL [Mass Ratio] in Serum or Plasma | ratio {ratio} calc | chol hdlc ratio, cholesterol hdl ratio, total cholesterol hdl ratio, t chol hdl ratio, total cholesterol to hdl ratio
3097-3 | Urea nitrogen/Creatinine [Mass Ratio] in Serum or Plasma | ratio {ratio} calc | bun creatinine ratio
`;

const read = (kind: CommonAnalyte['kind'], lines: string): CommonAnalyte[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [code = '', name = '', units = '', aliases = ''] = line.split(' | ');
      return { code, name, kind, units: units.split(' '), aliases: aliases.split(', ') };
    });

export const COMMON_ANALYTES: readonly CommonAnalyte[] = [
  ...read('direct', DIRECT),
  ...read('calculated', CALCULATED),
  ...read('ratio', RATIOS),
];
