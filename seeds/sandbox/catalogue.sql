-- The catalogue of the sandbox: two simulated laboratories, their results and their orderable tests.
-- Neither laboratory exists; their addresses, CLIA numbers, order codes, prices and turnaround times are invented.
--
-- This material contains content from LOINC (http://loinc.org). LOINC is copyright (c) Regenstrief Institute, Inc.
-- and the Logical Observation Identifiers Names and Codes (LOINC) Committee and is available at no cost under the
-- license at http://loinc.org/license. LOINC is a registered United States trademark of Regenstrief Institute, Inc.
--
-- Reference ranges and critical limits are illustrative values for adults, for simulated results only: never for
-- care. The ranges that a laboratory sends with a result always win.

insert into labs
  (id, slug, name, first_line_address, city, state, zipcode, clia_number, collection_methods, sample_types)
values
  (1, 'simulated-kit-lab', 'Phial Simulated Kit Laboratory', '100 Example Kit Way', 'Tempe', 'AZ', '85281', '00D0000001',
    '{testkit}', '{dried_blood_spot,arm_collector,saliva,urine,stool}'),
  (2, 'simulated-reference-lab', 'Phial Simulated Reference Laboratory', '200 Example Reference Road', 'Columbus', 'OH',
    '43215', '00D0000002', '{walk_in_test,at_home_phlebotomy,on_site_collection}', '{serum,urine}');

-- Units are UCUM codes. Ranges read <x, <=x, x-y (both ends inside), >x, >=x. A result at a critical limit is critical.
insert into analytes
  (id, slug, name, loinc_code, loinc_name, unit, result_type, range_female, range_male, critical_low, critical_high,
    decimals)
values
  -- Sugar metabolism. A critical glucose is above 400: 401 in whole numbers.
  (1, 'hemoglobin-a1c', 'Hemoglobin A1c', '4548-4',
    'Hemoglobin A1c/Hemoglobin.total in Blood',
    '%', 'numeric', '<5.7', '<5.7', null, null, 1),
  (2, 'glucose', 'Glucose, random', '2345-7',
    'Glucose [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '<140', '<140', 50, 401, 0),
  (3, 'glucose-blood', 'Glucose, whole blood', '2339-0',
    'Glucose [Mass/volume] in Blood',
    'mg/dL', 'numeric', '<140', '<140', 50, 401, 0),
  (4, 'glucose-fasting', 'Glucose, fasting', '1558-6',
    'Fasting glucose [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '70-99', '70-99', 50, 401, 0),
  (5, 'insulin', 'Insulin', '20448-7',
    'Insulin [Units/volume] in Serum or Plasma',
    'u[IU]/mL', 'numeric', '2-25', '2-25', null, null, 1),
  -- Lipids
  (6, 'total-cholesterol', 'Total cholesterol', '2093-3',
    'Cholesterol [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '<200', '<200', null, null, 0),
  (7, 'ldl-cholesterol-calculated', 'LDL cholesterol, calculated', '13457-7',
    'Cholesterol in LDL [Mass/volume] in Serum or Plasma by calculation',
    'mg/dL', 'numeric', '<100', '<100', null, null, 0),
  (8, 'ldl-cholesterol-direct', 'LDL cholesterol, direct', '18262-6',
    'Cholesterol in LDL [Mass/volume] in Serum or Plasma by Direct assay',
    'mg/dL', 'numeric', '<100', '<100', null, null, 0),
  (9, 'ldl-cholesterol', 'LDL cholesterol', '2089-1',
    'Cholesterol in LDL [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '<100', '<100', null, null, 0),
  (10, 'hdl-cholesterol', 'HDL cholesterol', '2085-9',
    'Cholesterol in HDL [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '>=50', '>=40', null, null, 0),
  (11, 'triglycerides', 'Triglycerides', '2571-8',
    'Triglyceride [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '<150', '<150', null, null, 0),
  (12, 'cholesterol-hdl-ratio', 'Total cholesterol to HDL ratio', '9830-1',
    'Cholesterol.total/Cholesterol in HDL [Mass Ratio] in Serum or Plasma',
    '{ratio}', 'numeric', '<5.0', '<5.0', null, null, 1),
  (13, 'apolipoprotein-b', 'Apolipoprotein B', '1884-6',
    'Apolipoprotein B [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '<90', '<90', null, null, 0),
  (14, 'lipoprotein-a', 'Lipoprotein(a)', '10835-7',
    'Lipoprotein a [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '<30', '<30', null, null, 0),
  -- Thyroid
  (15, 'tsh', 'Thyroid stimulating hormone (TSH)', '3016-3',
    'Thyrotropin [Units/volume] in Serum or Plasma',
    'm[IU]/L', 'numeric', '0.4-4.0', '0.4-4.0', null, null, 2),
  (16, 'free-t4', 'Free thyroxine (FT4)', '3024-7',
    'Thyroxine (T4) free [Mass/volume] in Serum or Plasma',
    'ng/dL', 'numeric', '0.8-1.8', '0.8-1.8', null, 5.1, 2),
  (17, 'free-t3', 'Free triiodothyronine (FT3)', '3051-0',
    'Triiodothyronine (T3) Free [Mass/volume] in Serum or Plasma',
    'pg/mL', 'numeric', '2.3-4.2', '2.3-4.2', null, null, 1),
  (18, 'total-t4', 'Total thyroxine (T4)', '3026-2',
    'Thyroxine (T4) [Mass/volume] in Serum or Plasma',
    'ug/dL', 'numeric', '5-12', '5-12', null, null, 1),
  (19, 'total-t3', 'Total triiodothyronine (T3)', '3053-6',
    'Triiodothyronine (T3) [Mass/volume] in Serum or Plasma',
    'ng/dL', 'numeric', '80-200', '80-200', null, null, 0),
  (20, 'tpo-antibody', 'Thyroid peroxidase antibody (TPO)', '8099-4',
    'Thyroperoxidase Ab [Units/volume] in Serum or Plasma',
    '[IU]/mL', 'numeric', '<35', '<35', null, null, 0),
  -- Vitamins and iron. A laboratory reports D3 alone without a range of its own.
  (21, 'vitamin-d-25-oh', 'Vitamin D, 25-hydroxy, total', '62292-8',
    '25-Hydroxyvitamin D2+25-Hydroxyvitamin D3 [Mass/volume] in Serum or Plasma',
    'ng/mL', 'numeric', '30-100', '30-100', null, null, 1),
  (22, 'vitamin-d3-25-oh', 'Vitamin D3, 25-hydroxy', '1989-3',
    '25-hydroxyvitamin D3 [Mass/volume] in Serum or Plasma',
    'ng/mL', 'numeric', null, null, null, null, 1),
  (23, 'vitamin-b12', 'Vitamin B12', '2132-9',
    'Cobalamin (Vitamin B12) [Mass/volume] in Serum or Plasma',
    'pg/mL', 'numeric', '200-900', '200-900', null, null, 0),
  (24, 'folate', 'Folate', '2284-8',
    'Folate [Mass/volume] in Serum or Plasma',
    'ng/mL', 'numeric', '>3.0', '>3.0', null, null, 1),
  (25, 'ferritin', 'Ferritin', '2276-4',
    'Ferritin [Mass/volume] in Serum or Plasma',
    'ng/mL', 'numeric', '15-150', '30-400', null, null, 0),
  (26, 'iron', 'Iron', '2498-4',
    'Iron [Mass/volume] in Serum or Plasma',
    'ug/dL', 'numeric', '60-170', '60-170', null, null, 0),
  (27, 'tibc', 'Total iron binding capacity (TIBC)', '2500-7',
    'Iron binding capacity [Mass/volume] in Serum or Plasma',
    'ug/dL', 'numeric', '250-450', '250-450', null, null, 0),
  (28, 'iron-saturation', 'Iron saturation', '2502-3',
    'Iron saturation [Mass Fraction] in Serum or Plasma',
    '%', 'numeric', '20-50', '20-50', null, null, 0),
  -- Inflammation
  (29, 'hs-crp', 'C-reactive protein, high sensitivity (hs-CRP)', '30522-7',
    'C reactive protein [Mass/volume] in Serum or Plasma by High sensitivity method',
    'mg/L', 'numeric', '<3.0', '<3.0', null, null, 1),
  (30, 'crp', 'C-reactive protein (CRP)', '1988-5',
    'C reactive protein [Mass/volume] in Serum or Plasma',
    'mg/L', 'numeric', '<10', '<10', null, null, 1),
  -- Hormones. Null where a range would depend on the laboratory (free testosterone), the cycle
  -- (estradiol, progesterone, FSH, LH of women) or the age (DHEA-S); PSA is for men. The ranges of men
  -- for progesterone, FSH and LH are null too; cortisol is the morning range.
  (31, 'testosterone-total', 'Testosterone, total', '2986-8',
    'Testosterone [Mass/volume] in Serum or Plasma',
    'ng/dL', 'numeric', '15-70', '264-916', null, null, 0),
  (32, 'testosterone-free', 'Testosterone, free', '2991-8',
    'Testosterone Free [Mass/volume] in Serum or Plasma',
    'pg/mL', 'numeric', null, null, null, null, 1),
  (33, 'shbg', 'Sex hormone binding globulin (SHBG)', '13967-5',
    'Sex hormone binding globulin [Moles/volume] in Serum or Plasma',
    'nmol/L', 'numeric', '18-144', '10-57', null, null, 1),
  (34, 'estradiol', 'Estradiol', '2243-4',
    'Estradiol (E2) [Mass/volume] in Serum or Plasma',
    'pg/mL', 'numeric', null, '10-40', null, null, 0),
  (35, 'progesterone', 'Progesterone', '2839-9',
    'Progesterone [Mass/volume] in Serum or Plasma',
    'ng/mL', 'numeric', null, null, null, null, 1),
  (36, 'fsh', 'Follicle stimulating hormone (FSH)', '15067-2',
    'Follitropin [Units/volume] in Serum or Plasma',
    'm[IU]/mL', 'numeric', null, null, null, null, 1),
  (37, 'lh', 'Luteinizing hormone (LH)', '10501-5',
    'Lutropin [Units/volume] in Serum or Plasma',
    'm[IU]/mL', 'numeric', null, null, null, null, 1),
  (38, 'prolactin', 'Prolactin', '2842-3',
    'Prolactin [Mass/volume] in Serum or Plasma',
    'ng/mL', 'numeric', '<20', '<20', null, null, 1),
  (39, 'dhea-s', 'DHEA sulfate (DHEA-S)', '2191-5',
    'Dehydroepiandrosterone sulfate (DHEA-S) [Mass/volume] in Serum or Plasma',
    'ug/dL', 'numeric', null, null, null, null, 0),
  (40, 'cortisol', 'Cortisol', '2143-6',
    'Cortisol [Mass/volume] in Serum or Plasma',
    'ug/dL', 'numeric', '6-23', '6-23', null, null, 1),
  (41, 'psa', 'Prostate specific antigen (PSA)', '2857-1',
    'Prostate specific Ag [Mass/volume] in Serum or Plasma',
    'ng/mL', 'numeric', null, '<4.0', null, null, 2),
  -- Kidney, liver, proteins, electrolytes
  (42, 'creatinine', 'Creatinine', '2160-0',
    'Creatinine [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '0.59-1.04', '0.74-1.35', null, 6.0, 2),
  (43, 'egfr', 'Estimated glomerular filtration rate (eGFR)', '98979-8',
    'Glomerular filtration rate [Volume Rate/Area] in Serum, Plasma or Blood by Creatinine-based formula (CKD-EPI 2021)/1.73 sq M',
    'mL/min/{1.73_m2}', 'numeric', '>=60', '>=60', null, null, 0),
  (44, 'bun', 'Blood urea nitrogen (BUN)', '3094-0',
    'Urea nitrogen [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '7-20', '7-20', null, 100, 0),
  (45, 'alt', 'Alanine aminotransferase (ALT)', '1742-6',
    'Alanine aminotransferase [Enzymatic activity/volume] in Serum or Plasma',
    'U/L', 'numeric', '<=44', '<=44', null, null, 0),
  (46, 'ast', 'Aspartate aminotransferase (AST)', '1920-8',
    'Aspartate aminotransferase [Enzymatic activity/volume] in Serum or Plasma',
    'U/L', 'numeric', '<=40', '<=40', null, null, 0),
  (47, 'alp', 'Alkaline phosphatase (ALP)', '6768-6',
    'Alkaline phosphatase [Enzymatic activity/volume] in Serum or Plasma',
    'U/L', 'numeric', '44-147', '44-147', null, null, 0),
  (48, 'ggt', 'Gamma-glutamyl transferase (GGT)', '2324-2',
    'Gamma glutamyl transferase [Enzymatic activity/volume] in Serum or Plasma',
    'U/L', 'numeric', '5-40', '5-40', null, null, 0),
  (49, 'bilirubin-total', 'Bilirubin, total', '1975-2',
    'Bilirubin.total [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '0.1-1.2', '0.1-1.2', null, 10, 1),
  (50, 'albumin', 'Albumin', '1751-7',
    'Albumin [Mass/volume] in Serum or Plasma',
    'g/dL', 'numeric', '3.5-5.5', '3.5-5.5', null, null, 1),
  (51, 'total-protein', 'Total protein', '2885-2',
    'Protein [Mass/volume] in Serum or Plasma',
    'g/dL', 'numeric', '6.0-7.8', '6.0-7.8', null, null, 1),
  (52, 'sodium', 'Sodium', '2951-2',
    'Sodium [Moles/volume] in Serum or Plasma',
    'mmol/L', 'numeric', '135-145', '135-145', 120, 158, 0),
  (53, 'potassium', 'Potassium', '2823-3',
    'Potassium [Moles/volume] in Serum or Plasma',
    'mmol/L', 'numeric', '3.5-5.1', '3.5-5.1', 2.8, 6.2, 1),
  (54, 'chloride', 'Chloride', '2075-0',
    'Chloride [Moles/volume] in Serum or Plasma',
    'mmol/L', 'numeric', '101-111', '101-111', 75, 121, 0),
  (55, 'co2', 'Carbon dioxide, total', '2028-9',
    'Carbon dioxide, total [Moles/volume] in Serum or Plasma',
    'mmol/L', 'numeric', '20-29', '20-29', 14, 41, 0),
  (56, 'calcium', 'Calcium', '17861-6',
    'Calcium [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '8.5-10.2', '8.5-10.2', 6.5, 13.0, 1),
  (57, 'magnesium', 'Magnesium', '19123-9',
    'Magnesium [Mass/volume] in Serum or Plasma',
    'mg/dL', 'numeric', '1.7-2.2', '1.7-2.2', 1.0, 4.5, 1),
  -- Blood counts. The range of red cells differs by sex; the one here is illustrative.
  (58, 'hemoglobin', 'Hemoglobin', '718-7',
    'Hemoglobin [Mass/volume] in Blood',
    'g/dL', 'numeric', '12.0-15.5', '13.5-17.5', 7.0, null, 1),
  (59, 'hematocrit', 'Hematocrit', '4544-3',
    'Hematocrit [Volume Fraction] of Blood by Automated count',
    '%', 'numeric', '36-44', '41-50', 20, 60, 1),
  (60, 'wbc', 'White blood cells (WBC)', '6690-2',
    'Leukocytes [#/volume] in Blood by Automated count',
    '10*3/uL', 'numeric', '4.0-11.0', '4.0-11.0', 1.0, 25, 1),
  (61, 'platelets', 'Platelets', '777-3',
    'Platelets [#/volume] in Blood by Automated count',
    '10*3/uL', 'numeric', '150-400', '150-400', 20, 1000, 0),
  (62, 'rbc', 'Red blood cells (RBC)', '789-8',
    'Erythrocytes [#/volume] in Blood by Automated count',
    '10*6/uL', 'numeric', '4.1-5.1', '4.5-5.9', null, null, 2);

-- Infections are reported as a coded value. The laboratory decides whether a positive one is critical.
insert into analytes (id, slug, name, loinc_code, loinc_name, result_type, normal_text, abnormal_text)
values
  (63, 'chlamydia', 'Chlamydia trachomatis DNA', '21613-5',
    'Chlamydia trachomatis DNA [Presence] in Specimen by NAA with probe detection',
    'coded_value', 'Not detected', 'Detected'),
  (64, 'chlamydia-rrna', 'Chlamydia trachomatis rRNA', '43304-5',
    'Chlamydia trachomatis rRNA [Presence] in Specimen by NAA with probe detection',
    'coded_value', 'Not detected', 'Detected'),
  (65, 'gonorrhea', 'Neisseria gonorrhoeae DNA', '24111-7',
    'Neisseria gonorrhoeae DNA [Presence] in Specimen by NAA with probe detection',
    'coded_value', 'Not detected', 'Detected'),
  (66, 'hiv-ag-ab', 'HIV 1 and 2 antigen and antibody', '56888-1',
    'HIV 1+2 Ab+HIV1 p24 Ag [Presence] in Serum or Plasma by Immunoassay',
    'coded_value', 'Non-reactive', 'Reactive'),
  (67, 'hepatitis-b-surface-antigen', 'Hepatitis B surface antigen', '5196-1',
    'Hepatitis B virus surface Ag [Presence] in Serum or Plasma by Immunoassay',
    'coded_value', 'Non-reactive', 'Reactive'),
  (68, 'syphilis-rpr', 'Syphilis (RPR)', '20507-0',
    'Reagin Ab [Presence] in Serum by RPR',
    'coded_value', 'Non-reactive', 'Reactive');

-- A biomarker's id is 1000 times its laboratory's id plus its analyte's id, and it shares the analyte's slug;
-- panels begin at 101 of the same block.
--
-- The kit laboratory reports capillary samples under the codes of serum and plasma, as equivalent values. A real one
-- has codes, ranges and specimens of its own.
insert into markers
  (id, lab_id, slug, name, provider_id, type, unit, description, price, a_la_carte_enabled, common_tat_days,
    worst_case_tat_days)
values
  (1001, 1, 'hemoglobin-a1c', 'Hemoglobin A1c', 'KIT-4548', 'biomarker', '%',
    'Average blood sugar over the past two to three months.', 19.00, false, 3, 7),
  (1004, 1, 'glucose-fasting', 'Glucose, fasting', 'KIT-1558', 'biomarker', 'mg/dL',
    'Blood sugar after at least eight hours without food.', 9.00, false, 3, 7),
  (1005, 1, 'insulin', 'Insulin', 'KIT-20448', 'biomarker', 'u[IU]/mL',
    'Hormone that moves sugar from the blood into cells.', 22.00, false, 3, 7),
  (1006, 1, 'total-cholesterol', 'Total cholesterol', 'KIT-2093', 'biomarker', 'mg/dL',
    'All cholesterol in the blood.', 9.00, false, 3, 7),
  (1007, 1, 'ldl-cholesterol-calculated', 'LDL cholesterol, calculated', 'KIT-13457', 'biomarker', 'mg/dL',
    'LDL cholesterol computed from the other lipids.', 9.00, false, 3, 7),
  (1010, 1, 'hdl-cholesterol', 'HDL cholesterol', 'KIT-2085', 'biomarker', 'mg/dL',
    'Cholesterol on its way back to the liver.', 9.00, false, 3, 7),
  (1011, 1, 'triglycerides', 'Triglycerides', 'KIT-2571', 'biomarker', 'mg/dL',
    'Fat carried in the blood.', 9.00, false, 3, 7),
  (1012, 1, 'cholesterol-hdl-ratio', 'Total cholesterol to HDL ratio', 'KIT-9830', 'biomarker', '{ratio}',
    'Total cholesterol divided by HDL cholesterol.', 4.00, false, 3, 7),
  (1013, 1, 'apolipoprotein-b', 'Apolipoprotein B', 'KIT-1884', 'biomarker', 'mg/dL',
    'Count of the particles that clog arteries.', 28.00, false, 3, 7),
  (1014, 1, 'lipoprotein-a', 'Lipoprotein(a)', 'KIT-10835', 'biomarker', 'mg/dL',
    'Inherited heart risk particle, as a mass.', 34.00, false, 3, 7),
  (1015, 1, 'tsh', 'Thyroid stimulating hormone (TSH)', 'KIT-3016', 'biomarker', 'm[IU]/L',
    'Signal from the brain that drives the thyroid.', 19.00, false, 3, 7),
  (1016, 1, 'free-t4', 'Free thyroxine (FT4)', 'KIT-3024', 'biomarker', 'ng/dL',
    'Unbound thyroid hormone T4.', 17.00, false, 3, 7),
  (1017, 1, 'free-t3', 'Free triiodothyronine (FT3)', 'KIT-3051', 'biomarker', 'pg/mL',
    'Unbound thyroid hormone T3.', 21.00, false, 3, 7),
  (1020, 1, 'tpo-antibody', 'Thyroid peroxidase antibody (TPO)', 'KIT-8099', 'biomarker', '[IU]/mL',
    'Antibody seen when the immune system attacks the thyroid.', 24.00, false, 3, 7),
  (1021, 1, 'vitamin-d-25-oh', 'Vitamin D, 25-hydroxy, total', 'KIT-62292', 'biomarker', 'ng/mL',
    'Stored vitamin D, both forms.', 34.00, false, 3, 7),
  (1023, 1, 'vitamin-b12', 'Vitamin B12', 'KIT-2132', 'biomarker', 'pg/mL',
    'Vitamin for nerves and blood formation.', 22.00, false, 3, 7),
  (1024, 1, 'folate', 'Folate', 'KIT-2284', 'biomarker', 'ng/mL',
    'B vitamin for making new cells.', 22.00, false, 3, 7),
  (1025, 1, 'ferritin', 'Ferritin', 'KIT-2276', 'biomarker', 'ng/mL',
    'Stored iron.', 19.00, false, 3, 7),
  (1029, 1, 'hs-crp', 'C-reactive protein, high sensitivity (hs-CRP)', 'KIT-30522', 'biomarker', 'mg/L',
    'Low-grade inflammation, used for heart risk.', 19.00, false, 3, 7),
  (1031, 1, 'testosterone-total', 'Testosterone, total', 'KIT-2986', 'biomarker', 'ng/dL',
    'Testosterone, bound and unbound.', 26.00, false, 3, 7),
  (1032, 1, 'testosterone-free', 'Testosterone, free', 'KIT-2991', 'biomarker', 'pg/mL',
    'Testosterone that is not bound to proteins.', 32.00, false, 3, 7),
  (1033, 1, 'shbg', 'Sex hormone binding globulin (SHBG)', 'KIT-13967', 'biomarker', 'nmol/L',
    'Protein that carries sex hormones.', 24.00, false, 3, 7),
  (1034, 1, 'estradiol', 'Estradiol', 'KIT-2243', 'biomarker', 'pg/mL',
    'Main estrogen.', 26.00, false, 3, 7),
  (1035, 1, 'progesterone', 'Progesterone', 'KIT-2839', 'biomarker', 'ng/mL',
    'Hormone of the second half of the cycle.', 26.00, false, 3, 7),
  (1036, 1, 'fsh', 'Follicle stimulating hormone (FSH)', 'KIT-15067', 'biomarker', 'm[IU]/mL',
    'Signal from the brain to ovaries and testes.', 22.00, false, 3, 7),
  (1037, 1, 'lh', 'Luteinizing hormone (LH)', 'KIT-10501', 'biomarker', 'm[IU]/mL',
    'Signal that triggers ovulation and testosterone.', 22.00, false, 3, 7),
  (1038, 1, 'prolactin', 'Prolactin', 'KIT-2842', 'biomarker', 'ng/mL',
    'Hormone that drives milk production.', 22.00, false, 3, 7),
  (1039, 1, 'dhea-s', 'DHEA sulfate (DHEA-S)', 'KIT-2191', 'biomarker', 'ug/dL',
    'Adrenal precursor of sex hormones.', 24.00, false, 3, 7),
  (1040, 1, 'cortisol', 'Cortisol', 'KIT-2143', 'biomarker', 'ug/dL',
    'Stress hormone, highest in the morning.', 22.00, false, 3, 7),
  (1041, 1, 'psa', 'Prostate specific antigen (PSA)', 'KIT-2857', 'biomarker', 'ng/mL',
    'Protein made by the prostate.', 26.00, false, 3, 7),
  (1042, 1, 'creatinine', 'Creatinine', 'KIT-2160', 'biomarker', 'mg/dL',
    'Waste product that the kidneys clear.', 10.00, false, 3, 7),
  (1043, 1, 'egfr', 'Estimated glomerular filtration rate (eGFR)', 'KIT-98979', 'biomarker', 'mL/min/{1.73_m2}',
    'Kidney function computed from creatinine, age and sex.', 2.00, false, 3, 7),
  (1045, 1, 'alt', 'Alanine aminotransferase (ALT)', 'KIT-1742', 'biomarker', 'U/L',
    'Liver enzyme.', 10.00, false, 3, 7),
  (1063, 1, 'chlamydia', 'Chlamydia trachomatis DNA', 'KIT-21613', 'biomarker', null,
    'Genetic material of the bacterium that causes chlamydia.', 39.00, false, 3, 7),
  (1065, 1, 'gonorrhea', 'Neisseria gonorrhoeae DNA', 'KIT-24111', 'biomarker', null,
    'Genetic material of the bacterium that causes gonorrhea.', 39.00, false, 3, 7),
  (1066, 1, 'hiv-ag-ab', 'HIV 1 and 2 antigen and antibody', 'KIT-56888', 'biomarker', null,
    'Screening for HIV; a reactive result needs a second test.', 34.00, false, 3, 7),
  (1067, 1, 'hepatitis-b-surface-antigen', 'Hepatitis B surface antigen', 'KIT-5196', 'biomarker', null,
    'Screening for hepatitis B.', 28.00, false, 3, 7),
  (1068, 1, 'syphilis-rpr', 'Syphilis (RPR)', 'KIT-20507', 'biomarker', null,
    'Screening for syphilis; a reactive result needs a second test.', 24.00, false, 3, 7),
  (1101, 1, 'lipid-panel', 'Lipid panel', 'KIT-24331', 'panel', null,
    'Cholesterol and triglycerides (LOINC panel 24331-9).', 24.00, false, 3, 7),
  (1102, 1, 'thyroid-panel', 'Thyroid panel', 'KIT-THYROID', 'panel', null,
    'TSH, free hormones and TPO antibody.', 59.00, false, 3, 7);

insert into markers
  (id, lab_id, slug, name, provider_id, type, unit, description, price, a_la_carte_enabled, common_tat_days,
    worst_case_tat_days)
values
  (2001, 2, 'hemoglobin-a1c', 'Hemoglobin A1c', 'REF-4548', 'biomarker', '%',
    'Average blood sugar over the past two to three months.', 14.00, true, 1, 3),
  (2002, 2, 'glucose', 'Glucose, random', 'REF-2345', 'biomarker', 'mg/dL',
    'Blood sugar at any time of day.', 6.00, true, 1, 3),
  (2003, 2, 'glucose-blood', 'Glucose, whole blood', 'REF-2339', 'biomarker', 'mg/dL',
    'Blood sugar measured in whole blood.', 6.00, true, 1, 3),
  (2004, 2, 'glucose-fasting', 'Glucose, fasting', 'REF-1558', 'biomarker', 'mg/dL',
    'Blood sugar after at least eight hours without food.', 6.00, true, 1, 3),
  (2005, 2, 'insulin', 'Insulin', 'REF-20448', 'biomarker', 'u[IU]/mL',
    'Hormone that moves sugar from the blood into cells.', 16.00, true, 1, 3),
  (2006, 2, 'total-cholesterol', 'Total cholesterol', 'REF-2093', 'biomarker', 'mg/dL',
    'All cholesterol in the blood.', 6.00, true, 1, 3),
  (2007, 2, 'ldl-cholesterol-calculated', 'LDL cholesterol, calculated', 'REF-13457', 'biomarker', 'mg/dL',
    'LDL cholesterol computed from the other lipids.', 6.00, true, 1, 3),
  (2008, 2, 'ldl-cholesterol-direct', 'LDL cholesterol, direct', 'REF-18262', 'biomarker', 'mg/dL',
    'LDL cholesterol measured directly.', 15.00, true, 1, 3),
  (2009, 2, 'ldl-cholesterol', 'LDL cholesterol', 'REF-2089', 'biomarker', 'mg/dL',
    'LDL cholesterol, method not stated.', 8.00, true, 1, 3),
  (2010, 2, 'hdl-cholesterol', 'HDL cholesterol', 'REF-2085', 'biomarker', 'mg/dL',
    'Cholesterol on its way back to the liver.', 6.00, true, 1, 3),
  (2011, 2, 'triglycerides', 'Triglycerides', 'REF-2571', 'biomarker', 'mg/dL',
    'Fat carried in the blood.', 6.00, true, 1, 3),
  (2012, 2, 'cholesterol-hdl-ratio', 'Total cholesterol to HDL ratio', 'REF-9830', 'biomarker', '{ratio}',
    'Total cholesterol divided by HDL cholesterol.', 4.00, true, 1, 3),
  (2013, 2, 'apolipoprotein-b', 'Apolipoprotein B', 'REF-1884', 'biomarker', 'mg/dL',
    'Count of the particles that clog arteries.', 22.00, true, 1, 3),
  (2014, 2, 'lipoprotein-a', 'Lipoprotein(a)', 'REF-10835', 'biomarker', 'mg/dL',
    'Inherited heart risk particle, as a mass.', 28.00, true, 1, 3),
  (2015, 2, 'tsh', 'Thyroid stimulating hormone (TSH)', 'REF-3016', 'biomarker', 'm[IU]/L',
    'Signal from the brain that drives the thyroid.', 14.00, true, 1, 3),
  (2016, 2, 'free-t4', 'Free thyroxine (FT4)', 'REF-3024', 'biomarker', 'ng/dL',
    'Unbound thyroid hormone T4.', 12.00, true, 1, 3),
  (2017, 2, 'free-t3', 'Free triiodothyronine (FT3)', 'REF-3051', 'biomarker', 'pg/mL',
    'Unbound thyroid hormone T3.', 16.00, true, 1, 3),
  (2018, 2, 'total-t4', 'Total thyroxine (T4)', 'REF-3026', 'biomarker', 'ug/dL',
    'Thyroid hormone T4, bound and unbound.', 10.00, true, 1, 3),
  (2019, 2, 'total-t3', 'Total triiodothyronine (T3)', 'REF-3053', 'biomarker', 'ng/dL',
    'Thyroid hormone T3, bound and unbound.', 14.00, true, 1, 3),
  (2020, 2, 'tpo-antibody', 'Thyroid peroxidase antibody (TPO)', 'REF-8099', 'biomarker', '[IU]/mL',
    'Antibody seen when the immune system attacks the thyroid.', 18.00, true, 1, 3),
  (2021, 2, 'vitamin-d-25-oh', 'Vitamin D, 25-hydroxy, total', 'REF-62292', 'biomarker', 'ng/mL',
    'Stored vitamin D, both forms.', 28.00, true, 1, 3),
  (2022, 2, 'vitamin-d3-25-oh', 'Vitamin D3, 25-hydroxy', 'REF-1989', 'biomarker', 'ng/mL',
    'Stored vitamin D3 alone.', 24.00, true, 1, 3),
  (2023, 2, 'vitamin-b12', 'Vitamin B12', 'REF-2132', 'biomarker', 'pg/mL',
    'Vitamin for nerves and blood formation.', 16.00, true, 1, 3),
  (2024, 2, 'folate', 'Folate', 'REF-2284', 'biomarker', 'ng/mL',
    'B vitamin for making new cells.', 16.00, true, 1, 3),
  (2025, 2, 'ferritin', 'Ferritin', 'REF-2276', 'biomarker', 'ng/mL',
    'Stored iron.', 14.00, true, 1, 3),
  (2026, 2, 'iron', 'Iron', 'REF-2498', 'biomarker', 'ug/dL',
    'Iron circulating in the blood.', 8.00, true, 1, 3),
  (2027, 2, 'tibc', 'Total iron binding capacity (TIBC)', 'REF-2500', 'biomarker', 'ug/dL',
    'How much iron the blood could carry.', 8.00, true, 1, 3),
  (2028, 2, 'iron-saturation', 'Iron saturation', 'REF-2502', 'biomarker', '%',
    'Share of the carrying capacity that is in use.', 4.00, true, 1, 3),
  (2029, 2, 'hs-crp', 'C-reactive protein, high sensitivity (hs-CRP)', 'REF-30522', 'biomarker', 'mg/L',
    'Low-grade inflammation, used for heart risk.', 14.00, true, 1, 3),
  (2030, 2, 'crp', 'C-reactive protein (CRP)', 'REF-1988', 'biomarker', 'mg/L',
    'Inflammation or infection.', 10.00, true, 1, 3),
  (2031, 2, 'testosterone-total', 'Testosterone, total', 'REF-2986', 'biomarker', 'ng/dL',
    'Testosterone, bound and unbound.', 18.00, true, 1, 3),
  (2032, 2, 'testosterone-free', 'Testosterone, free', 'REF-2991', 'biomarker', 'pg/mL',
    'Testosterone that is not bound to proteins.', 24.00, true, 1, 3),
  (2033, 2, 'shbg', 'Sex hormone binding globulin (SHBG)', 'REF-13967', 'biomarker', 'nmol/L',
    'Protein that carries sex hormones.', 18.00, true, 1, 3),
  (2034, 2, 'estradiol', 'Estradiol', 'REF-2243', 'biomarker', 'pg/mL',
    'Main estrogen.', 18.00, true, 1, 3),
  (2035, 2, 'progesterone', 'Progesterone', 'REF-2839', 'biomarker', 'ng/mL',
    'Hormone of the second half of the cycle.', 18.00, true, 1, 3),
  (2036, 2, 'fsh', 'Follicle stimulating hormone (FSH)', 'REF-15067', 'biomarker', 'm[IU]/mL',
    'Signal from the brain to ovaries and testes.', 16.00, true, 1, 3),
  (2037, 2, 'lh', 'Luteinizing hormone (LH)', 'REF-10501', 'biomarker', 'm[IU]/mL',
    'Signal that triggers ovulation and testosterone.', 16.00, true, 1, 3),
  (2038, 2, 'prolactin', 'Prolactin', 'REF-2842', 'biomarker', 'ng/mL',
    'Hormone that drives milk production.', 16.00, true, 1, 3),
  (2039, 2, 'dhea-s', 'DHEA sulfate (DHEA-S)', 'REF-2191', 'biomarker', 'ug/dL',
    'Adrenal precursor of sex hormones.', 18.00, true, 1, 3),
  (2040, 2, 'cortisol', 'Cortisol', 'REF-2143', 'biomarker', 'ug/dL',
    'Stress hormone, highest in the morning.', 14.00, true, 1, 3),
  (2041, 2, 'psa', 'Prostate specific antigen (PSA)', 'REF-2857', 'biomarker', 'ng/mL',
    'Protein made by the prostate.', 18.00, true, 1, 3),
  (2042, 2, 'creatinine', 'Creatinine', 'REF-2160', 'biomarker', 'mg/dL',
    'Waste product that the kidneys clear.', 6.00, true, 1, 3),
  (2043, 2, 'egfr', 'Estimated glomerular filtration rate (eGFR)', 'REF-98979', 'biomarker', 'mL/min/{1.73_m2}',
    'Kidney function computed from creatinine, age and sex.', 2.00, true, 1, 3),
  (2044, 2, 'bun', 'Blood urea nitrogen (BUN)', 'REF-3094', 'biomarker', 'mg/dL',
    'Waste from protein that the kidneys clear.', 6.00, true, 1, 3),
  (2045, 2, 'alt', 'Alanine aminotransferase (ALT)', 'REF-1742', 'biomarker', 'U/L',
    'Liver enzyme.', 6.00, true, 1, 3),
  (2046, 2, 'ast', 'Aspartate aminotransferase (AST)', 'REF-1920', 'biomarker', 'U/L',
    'Enzyme of liver and muscle.', 6.00, true, 1, 3),
  (2047, 2, 'alp', 'Alkaline phosphatase (ALP)', 'REF-6768', 'biomarker', 'U/L',
    'Enzyme of bile ducts and bone.', 6.00, true, 1, 3),
  (2048, 2, 'ggt', 'Gamma-glutamyl transferase (GGT)', 'REF-2324', 'biomarker', 'U/L',
    'Enzyme of liver and bile ducts.', 8.00, true, 1, 3),
  (2049, 2, 'bilirubin-total', 'Bilirubin, total', 'REF-1975', 'biomarker', 'mg/dL',
    'Yellow breakdown product of old red cells.', 6.00, true, 1, 3),
  (2050, 2, 'albumin', 'Albumin', 'REF-1751', 'biomarker', 'g/dL',
    'Main protein of the blood, made by the liver.', 6.00, true, 1, 3),
  (2051, 2, 'total-protein', 'Total protein', 'REF-2885', 'biomarker', 'g/dL',
    'All protein in the serum.', 6.00, true, 1, 3),
  (2052, 2, 'sodium', 'Sodium', 'REF-2951', 'biomarker', 'mmol/L',
    'Main salt of body fluids.', 6.00, true, 1, 3),
  (2053, 2, 'potassium', 'Potassium', 'REF-2823', 'biomarker', 'mmol/L',
    'Salt that steers heart and muscle.', 6.00, true, 1, 3),
  (2054, 2, 'chloride', 'Chloride', 'REF-2075', 'biomarker', 'mmol/L',
    'Salt that goes with sodium.', 6.00, true, 1, 3),
  (2055, 2, 'co2', 'Carbon dioxide, total', 'REF-2028', 'biomarker', 'mmol/L',
    'Buffer that keeps the blood from turning acid.', 6.00, true, 1, 3),
  (2056, 2, 'calcium', 'Calcium', 'REF-17861', 'biomarker', 'mg/dL',
    'Mineral of bone, nerve and muscle.', 6.00, true, 1, 3),
  (2057, 2, 'magnesium', 'Magnesium', 'REF-19123', 'biomarker', 'mg/dL',
    'Mineral of nerve and muscle.', 8.00, true, 1, 3),
  (2058, 2, 'hemoglobin', 'Hemoglobin', 'REF-718', 'biomarker', 'g/dL',
    'Protein that carries oxygen.', 6.00, true, 1, 3),
  (2059, 2, 'hematocrit', 'Hematocrit', 'REF-4544', 'biomarker', '%',
    'Share of the blood that is red cells.', 6.00, true, 1, 3),
  (2060, 2, 'wbc', 'White blood cells (WBC)', 'REF-6690', 'biomarker', '10*3/uL',
    'Cells that fight infection.', 6.00, true, 1, 3),
  (2061, 2, 'platelets', 'Platelets', 'REF-777', 'biomarker', '10*3/uL',
    'Cells that stop bleeding.', 6.00, true, 1, 3),
  (2062, 2, 'rbc', 'Red blood cells (RBC)', 'REF-789', 'biomarker', '10*6/uL',
    'Cells that carry oxygen.', 6.00, true, 1, 3),
  (2063, 2, 'chlamydia', 'Chlamydia trachomatis DNA', 'REF-21613', 'biomarker', null,
    'Genetic material of the bacterium that causes chlamydia.', 32.00, true, 1, 3),
  (2064, 2, 'chlamydia-rrna', 'Chlamydia trachomatis rRNA', 'REF-43304', 'biomarker', null,
    'Ribosomal RNA of the bacterium that causes chlamydia.', 32.00, true, 1, 3),
  (2065, 2, 'gonorrhea', 'Neisseria gonorrhoeae DNA', 'REF-24111', 'biomarker', null,
    'Genetic material of the bacterium that causes gonorrhea.', 32.00, true, 1, 3),
  (2066, 2, 'hiv-ag-ab', 'HIV 1 and 2 antigen and antibody', 'REF-56888', 'biomarker', null,
    'Screening for HIV; a reactive result needs a second test.', 26.00, true, 1, 3),
  (2067, 2, 'hepatitis-b-surface-antigen', 'Hepatitis B surface antigen', 'REF-5196', 'biomarker', null,
    'Screening for hepatitis B.', 20.00, true, 1, 3),
  (2068, 2, 'syphilis-rpr', 'Syphilis (RPR)', 'REF-20507', 'biomarker', null,
    'Screening for syphilis; a reactive result needs a second test.', 14.00, true, 1, 3),
  (2101, 2, 'comprehensive-metabolic-panel', 'Comprehensive metabolic panel (CMP)', 'REF-24323', 'panel', null,
    'Sugar, kidney, liver, proteins and electrolytes (LOINC panel 24323-8).', 18.00, true, 1, 3),
  (2102, 2, 'complete-blood-count', 'Complete blood count (CBC)', 'REF-57021', 'panel', null,
    'The five main counts of the blood (LOINC panel 57021-8), without the differential.', 12.00, true, 1, 2),
  (2103, 2, 'lipid-panel', 'Lipid panel', 'REF-24331', 'panel', null,
    'Cholesterol and triglycerides (LOINC panel 24331-9).', 16.00, true, 1, 3),
  (2104, 2, 'thyroid-panel', 'Thyroid panel', 'REF-THYROID', 'panel', null,
    'TSH, free and total hormones and TPO antibody.', 52.00, true, 1, 4),
  (2105, 2, 'iron-panel', 'Iron panel', 'REF-IRON', 'panel', null,
    'Iron, binding capacity, saturation and stored iron.', 24.00, true, 1, 3);

insert into marker_analytes (marker_id, analyte_id, position)
select m.id, a.id, 1 from markers m join analytes a on a.slug = m.slug where m.type = 'biomarker';

-- Computed values are not required: a laboratory leaves them out when their inputs are out of bounds.
insert into marker_analytes (marker_id, analyte_id, position, required)
values
  -- 1101 Lipid panel
  (1101, 6, 1, true), -- total-cholesterol
  (1101, 10, 2, true), -- hdl-cholesterol
  (1101, 11, 3, true), -- triglycerides
  (1101, 7, 4, false), -- ldl-cholesterol-calculated
  (1101, 12, 5, false), -- cholesterol-hdl-ratio
  -- 1102 Thyroid panel
  (1102, 15, 1, true), -- tsh
  (1102, 16, 2, true), -- free-t4
  (1102, 17, 3, true), -- free-t3
  (1102, 20, 4, true), -- tpo-antibody
  -- 2101 Comprehensive metabolic panel (CMP)
  (2101, 2, 1, true), -- glucose
  (2101, 44, 2, true), -- bun
  (2101, 42, 3, true), -- creatinine
  (2101, 43, 4, false), -- egfr
  (2101, 52, 5, true), -- sodium
  (2101, 53, 6, true), -- potassium
  (2101, 54, 7, true), -- chloride
  (2101, 55, 8, true), -- co2
  (2101, 56, 9, true), -- calcium
  (2101, 51, 10, true), -- total-protein
  (2101, 50, 11, true), -- albumin
  (2101, 49, 12, true), -- bilirubin-total
  (2101, 47, 13, true), -- alp
  (2101, 46, 14, true), -- ast
  (2101, 45, 15, true), -- alt
  -- 2102 Complete blood count (CBC)
  (2102, 60, 1, true), -- wbc
  (2102, 62, 2, true), -- rbc
  (2102, 58, 3, true), -- hemoglobin
  (2102, 59, 4, true), -- hematocrit
  (2102, 61, 5, true), -- platelets
  -- 2103 Lipid panel
  (2103, 6, 1, true), -- total-cholesterol
  (2103, 10, 2, true), -- hdl-cholesterol
  (2103, 11, 3, true), -- triglycerides
  (2103, 7, 4, false), -- ldl-cholesterol-calculated
  (2103, 12, 5, false), -- cholesterol-hdl-ratio
  -- 2104 Thyroid panel
  (2104, 15, 1, true), -- tsh
  (2104, 16, 2, true), -- free-t4
  (2104, 17, 3, true), -- free-t3
  (2104, 18, 4, true), -- total-t4
  (2104, 19, 5, true), -- total-t3
  (2104, 20, 6, true), -- tpo-antibody
  -- 2105 Iron panel
  (2105, 26, 1, true), -- iron
  (2105, 27, 2, true), -- tibc
  (2105, 28, 3, true), -- iron-saturation
  (2105, 25, 4, true); -- ferritin
