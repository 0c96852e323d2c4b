/** The codes of our subset from A to I, with their official descriptions. `codes.ts` parses this text. */
export const CODES_A_TO_I = `
A04.72 Enterocolitis due to Clostridium difficile, not specified as recurrent
A09 Infectious gastroenteritis and colitis, unspecified
A49.9 Bacterial infection, unspecified
A51.0 Primary genital syphilis
A53.9 Syphilis, unspecified
A54.9 Gonococcal infection, unspecified
A56.00 Chlamydial infection of lower genitourinary tract, unspecified
A56.8 Sexually transmitted chlamydial infection of other sites
A59.01 Trichomonal vulvovaginitis
A60.00 Herpesviral infection of urogenital system, unspecified
A63.0 Anogenital (venereal) warts
A64 Unspecified sexually transmitted disease
A69.20 Lyme disease, unspecified
A74.9 Chlamydial infection, unspecified
B00.9 Herpesviral infection, unspecified
B02.9 Zoster without complications
B07.9 Viral wart, unspecified
B18.1 Chronic viral hepatitis B without delta-agent
B18.2 Chronic viral hepatitis C
B19.10 Unspecified viral hepatitis B without hepatic coma
B19.20 Unspecified viral hepatitis C without hepatic coma
B19.9 Unspecified viral hepatitis without hepatic coma
B20 Human immunodeficiency virus [HIV] disease
B27.90 Infectious mononucleosis, unspecified without complication
B34.9 Viral infection, unspecified
B35.1 Tinea unguium
B35.3 Tinea pedis
B35.4 Tinea corporis
B37.0 Candidal stomatitis
B37.49 Other urogenital candidiasis
B96.20* Unspecified Escherichia coli [E. coli] as the cause of diseases classified elsewhere
B96.81* Helicobacter pylori [H. pylori] as the cause of diseases classified elsewhere
C18.9 Malignant neoplasm of colon, unspecified
C34.90 Malignant neoplasm of unspecified part of unspecified bronchus or lung
C50.911 Malignant neoplasm of unspecified site of right female breast
C50.912 Malignant neoplasm of unspecified site of left female breast
C50.919 Malignant neoplasm of unspecified site of unspecified female breast
C61 Malignant neoplasm of prostate
C73 Malignant neoplasm of thyroid gland
D12.6 Benign neoplasm of colon, unspecified
D22.9 Melanocytic nevi, unspecified
D25.9 Leiomyoma of uterus, unspecified
D50.0 Iron deficiency anemia secondary to blood loss (chronic)
D50.8 Other iron deficiency anemias
D50.9 Iron deficiency anemia, unspecified
D51.0 Vitamin B12 deficiency anemia due to intrinsic factor deficiency
D51.9 Vitamin B12 deficiency anemia, unspecified
D52.9 Folate deficiency anemia, unspecified
D53.9 Nutritional anemia, unspecified
D57.1 Sickle-cell disease without crisis
D57.3 Sickle-cell trait
D62 Acute posthemorrhagic anemia
D63.1* Anemia in chronic kidney disease
D64.9 Anemia, unspecified
D68.51 Activated protein C resistance
D68.9 Coagulation defect, unspecified
D69.6 Thrombocytopenia, unspecified
D70.9 Neutropenia, unspecified
D72.10 Eosinophilia, unspecified
D72.819 Decreased white blood cell count, unspecified
D72.829 Elevated white blood cell count, unspecified
D75.1 Secondary polycythemia
D86.9 Sarcoidosis, unspecified
E01.8 Other iodine-deficiency related thyroid disorders and allied conditions
E03.8 Other specified hypothyroidism
E03.9 Hypothyroidism, unspecified
E04.1 Nontoxic single thyroid nodule
E04.2 Nontoxic multinodular goiter
E04.9 Nontoxic goiter, unspecified
E05.00 Thyrotoxicosis with diffuse goiter without thyrotoxic crisis or storm
E05.90 Thyrotoxicosis, unspecified without thyrotoxic crisis or storm
E06.2 Chronic thyroiditis with transient thyrotoxicosis
E06.3 Autoimmune thyroiditis
E06.9 Thyroiditis, unspecified
E07.9 Disorder of thyroid, unspecified
E10.65 Type 1 diabetes mellitus with hyperglycemia
E10.649 Type 1 diabetes mellitus with hypoglycemia without coma
E10.9 Type 1 diabetes mellitus without complications
E11.21 Type 2 diabetes mellitus with diabetic nephropathy
E11.22 Type 2 diabetes mellitus with diabetic chronic kidney disease
E11.40 Type 2 diabetes mellitus with diabetic neuropathy, unspecified
E11.42 Type 2 diabetes mellitus with diabetic polyneuropathy
E11.649 Type 2 diabetes mellitus with hypoglycemia without coma
E11.65 Type 2 diabetes mellitus with hyperglycemia
E11.69 Type 2 diabetes mellitus with other specified complication
E11.8 Type 2 diabetes mellitus with unspecified complications
E11.9 Type 2 diabetes mellitus without complications
E13.9 Other specified diabetes mellitus without complications
E16.2 Hypoglycemia, unspecified
E20.9 Hypoparathyroidism, unspecified
E21.0 Primary hyperparathyroidism
E21.3 Hyperparathyroidism, unspecified
E22.1 Hyperprolactinemia
E23.0 Hypopituitarism
E24.9 Cushing's syndrome, unspecified
E26.9 Hyperaldosteronism, unspecified
E27.1 Primary adrenocortical insufficiency
E27.40 Unspecified adrenocortical insufficiency
E28.2 Polycystic ovarian syndrome
E28.310 Symptomatic premature menopause
E28.319 Asymptomatic premature menopause
E28.39 Other primary ovarian failure
E28.9 Ovarian dysfunction, unspecified
E29.1 Testicular hypofunction
E34.9 Endocrine disorder, unspecified
E46 Unspecified protein-calorie malnutrition
E53.8 Deficiency of other specified B group vitamins
E55.9 Vitamin D deficiency, unspecified
E56.9 Vitamin deficiency, unspecified
E61.1 Iron deficiency
E61.2 Magnesium deficiency
E63.9 Nutritional deficiency, unspecified
E66.01 Morbid (severe) obesity due to excess calories
E66.09 Other obesity due to excess calories
E66.3 Overweight
E66.811 Obesity, class 1
E66.812 Obesity, class 2
E66.813 Obesity, class 3
E66.9 Obesity, unspecified
E72.11 Homocystinuria
E73.9 Lactose intolerance, unspecified
E78.00 Pure hypercholesterolemia, unspecified
E78.010 Homozygous familial hypercholesterolemia [HoFH]
E78.011 Heterozygous familial hypercholesterolemia [HeFH]
E78.019 Familial hypercholesterolemia, unspecified
E78.1 Pure hyperglyceridemia
E78.2 Mixed hyperlipidemia
E78.41 Elevated Lipoprotein(a)
E78.49 Other hyperlipidemia
E78.5 Hyperlipidemia, unspecified
E79.0 Hyperuricemia without signs of inflammatory arthritis and tophaceous disease
E80.4 Gilbert syndrome
E83.110 Hereditary hemochromatosis
E83.119 Hemochromatosis, unspecified
E83.42 Hypomagnesemia
E83.51 Hypocalcemia
E83.52 Hypercalcemia
E86.0 Dehydration
E87.1 Hypo-osmolality and hyponatremia
E87.5 Hyperkalemia
E87.6 Hypokalemia
E88.810 Metabolic syndrome
E89.0 Postprocedural hypothyroidism
E89.40 Asymptomatic postprocedural ovarian failure
F10.10 Alcohol abuse, uncomplicated
F10.20 Alcohol dependence, uncomplicated
F11.20 Opioid dependence, uncomplicated
F17.200 Nicotine dependence, unspecified, uncomplicated
F17.210 Nicotine dependence, cigarettes, uncomplicated
F31.9 Bipolar disorder, unspecified
F32.0 Major depressive disorder, single episode, mild
F32.1 Major depressive disorder, single episode, moderate
F32.9 Major depressive disorder, single episode, unspecified
F32.A Depression, unspecified
F33.0 Major depressive disorder, recurrent, mild
F33.1 Major depressive disorder, recurrent, moderate
F33.9 Major depressive disorder, recurrent, unspecified
F40.01 Agoraphobia with panic disorder
F41.0 Panic disorder [episodic paroxysmal anxiety]
F41.1 Generalized anxiety disorder
F41.9 Anxiety disorder, unspecified
F43.10 Post-traumatic stress disorder, unspecified
F90.9 Attention-deficit hyperactivity disorder, unspecified type
G25.81 Restless legs syndrome
G40.909 Epilepsy, unspecified, not intractable, without status epilepticus
G43.909 Migraine, unspecified, not intractable, without status migrainosus
G47.00 Insomnia, unspecified
G47.33 Obstructive sleep apnea (adult) (pediatric)
G62.9 Polyneuropathy, unspecified
H10.9 Unspecified conjunctivitis
H66.90 Otitis media, unspecified, unspecified ear
H81.10 Benign paroxysmal vertigo, unspecified ear
I10 Essential (primary) hypertension
I11.9 Hypertensive heart disease without heart failure
I12.9 Hypertensive chronic kidney disease with stage 1 through stage 4 chronic kidney disease, or unspecified chronic kidney disease
I15.9 Secondary hypertension, unspecified
I20.9 Angina pectoris, unspecified
I25.10 Atherosclerotic heart disease of native coronary artery without angina pectoris
I25.2 Old myocardial infarction
I26.99 Other pulmonary embolism without acute cor pulmonale
I48.0 Paroxysmal atrial fibrillation
I48.91 Unspecified atrial fibrillation
I49.9 Cardiac arrhythmia, unspecified
I50.9 Heart failure, unspecified
I63.9 Cerebral infarction, unspecified
I73.9 Peripheral vascular disease, unspecified
I82.409 Acute embolism and thrombosis of unspecified deep veins of unspecified lower extremity
I83.90 Asymptomatic varicose veins of unspecified lower extremity
`;
