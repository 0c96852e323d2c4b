/** The codes of our subset from J to Z, with their official descriptions. `codes.ts` parses this text. */
export const CODES_J_TO_Z = `
J00 Acute nasopharyngitis [common cold]
J01.90 Acute sinusitis, unspecified
J02.0 Streptococcal pharyngitis
J02.9 Acute pharyngitis, unspecified
J03.90 Acute tonsillitis, unspecified
J06.9 Acute upper respiratory infection, unspecified
J11.1 Influenza due to unidentified influenza virus with other respiratory manifestations
J18.9 Pneumonia, unspecified organism
J20.9 Acute bronchitis, unspecified
J22 Unspecified acute lower respiratory infection
J30.1 Allergic rhinitis due to pollen
J30.2 Other seasonal allergic rhinitis
J30.9 Allergic rhinitis, unspecified
J31.0 Chronic rhinitis
J32.9 Chronic sinusitis, unspecified
J40 Bronchitis, not specified as acute or chronic
J44.1 Chronic obstructive pulmonary disease with (acute) exacerbation
J44.9 Chronic obstructive pulmonary disease, unspecified
J45.20 Mild intermittent asthma, uncomplicated
J45.40 Moderate persistent asthma, uncomplicated
J45.909 Unspecified asthma, uncomplicated
K21.00 Gastro-esophageal reflux disease with esophagitis, without bleeding
K21.9 Gastro-esophageal reflux disease without esophagitis
K25.9 Gastric ulcer, unspecified as acute or chronic, without hemorrhage or perforation
K29.70 Gastritis, unspecified, without bleeding
K30 Functional dyspepsia
K50.90 Crohn's disease, unspecified, without complications
K51.90 Ulcerative colitis, unspecified, without complications
K57.30 Diverticulosis of large intestine without perforation or abscess without bleeding
K58.0 Irritable bowel syndrome with diarrhea
K58.9 Irritable bowel syndrome, unspecified
K59.00 Constipation, unspecified
K59.1 Functional diarrhea
K64.9 Unspecified hemorrhoids
K70.30 Alcoholic cirrhosis of liver without ascites
K74.60 Unspecified cirrhosis of liver
K75.4 Autoimmune hepatitis
K75.81 Nonalcoholic steatohepatitis (NASH)
K76.0 Fatty (change of) liver, not elsewhere classified
K80.20 Calculus of gallbladder without cholecystitis without obstruction
K85.90 Acute pancreatitis without necrosis or infection, unspecified
K86.1 Other chronic pancreatitis
K90.0 Celiac disease
K92.0 Hematemesis
K92.1 Melena
K92.2 Gastrointestinal hemorrhage, unspecified
L03.90 Cellulitis, unspecified
L20.9 Atopic dermatitis, unspecified
L30.9 Dermatitis, unspecified
L40.9 Psoriasis, unspecified
L50.9 Urticaria, unspecified
L63.9 Alopecia areata, unspecified
L65.9 Nonscarring hair loss, unspecified
L68.0 Hirsutism
L70.0 Acne vulgaris
L71.9 Rosacea, unspecified
M05.9 Rheumatoid arthritis with rheumatoid factor, unspecified
M06.9 Rheumatoid arthritis, unspecified
M10.9 Gout, unspecified
M1A.9XX0 Chronic gout, unspecified, without tophus (tophi)
M15.9 Polyosteoarthritis, unspecified
M17.9 Osteoarthritis of knee, unspecified
M19.90 Unspecified osteoarthritis, unspecified site
M25.50 Pain in unspecified joint
M32.9 Systemic lupus erythematosus, unspecified
M35.00 Sjogren syndrome, unspecified
M35.3 Polymyalgia rheumatica
M45.9 Ankylosing spondylitis of unspecified sites in spine
M50.90 Cervical disc disorder, unspecified, unspecified cervical region
M54.2 Cervicalgia
M54.30 Sciatica, unspecified side
M54.40 Lumbago with sciatica, unspecified side
M54.50 Low back pain, unspecified
M62.81 Muscle weakness (generalized)
M62.82 Rhabdomyolysis
M79.10 Myalgia, unspecified site
M79.7 Fibromyalgia
M81.0 Age-related osteoporosis without current pathological fracture
M83.9 Adult osteomalacia, unspecified
M85.80 Other specified disorders of bone density and structure, unspecified site
N17.9 Acute kidney failure, unspecified
N18.1 Chronic kidney disease, stage 1
N18.2 Chronic kidney disease, stage 2 (mild)
N18.30 Chronic kidney disease, stage 3 unspecified
N18.31 Chronic kidney disease, stage 3a
N18.32 Chronic kidney disease, stage 3b
N18.4 Chronic kidney disease, stage 4 (severe)
N18.5 Chronic kidney disease, stage 5
N18.6 End stage renal disease
N18.9 Chronic kidney disease, unspecified
N20.0 Calculus of kidney
N23 Unspecified renal colic
N28.9 Disorder of kidney and ureter, unspecified
N30.00 Acute cystitis without hematuria
N30.01 Acute cystitis with hematuria
N34.1 Nonspecific urethritis
N39.0 Urinary tract infection, site not specified
N40.0 Benign prostatic hyperplasia without lower urinary tract symptoms
N40.1 Benign prostatic hyperplasia with lower urinary tract symptoms
N41.9 Inflammatory disease of prostate, unspecified
N46.9 Male infertility, unspecified
N52.9 Male erectile dysfunction, unspecified
N73.9 Female pelvic inflammatory disease, unspecified
N76.0 Acute vaginitis
N80.9 Endometriosis, unspecified
N91.0 Primary amenorrhea
N91.1 Secondary amenorrhea
N91.2 Amenorrhea, unspecified
N92.0 Excessive and frequent menstruation with regular cycle
N92.4 Excessive bleeding in the premenopausal period
N92.6 Irregular menstruation, unspecified
N93.9 Abnormal uterine and vaginal bleeding, unspecified
N94.6 Dysmenorrhea, unspecified
N95.0 Postmenopausal bleeding
N95.1 Menopausal and female climacteric states
N97.0 Female infertility associated with anovulation
N97.9 Female infertility, unspecified
O09.90 Supervision of high risk pregnancy, unspecified, unspecified trimester
O21.0 Mild hyperemesis gravidarum
O24.410 Gestational diabetes mellitus in pregnancy, diet controlled
O24.419 Gestational diabetes mellitus in pregnancy, unspecified control
O99.810 Abnormal glucose complicating pregnancy
R00.0 Tachycardia, unspecified
R00.2 Palpitations
R03.0 Elevated blood-pressure reading, without diagnosis of hypertension
R05.9 Cough, unspecified
R06.00 Dyspnea, unspecified
R06.02 Shortness of breath
R06.82 Tachypnea, not elsewhere classified
R07.9 Chest pain, unspecified
R10.9 Unspecified abdominal pain
R11.0 Nausea
R11.10 Vomiting, unspecified
R11.2 Nausea with vomiting, unspecified
R14.0 Abdominal distension (gaseous)
R17 Unspecified jaundice
R19.7 Diarrhea, unspecified
R20.2 Paresthesia of skin
R21 Rash and other nonspecific skin eruption
R25.2 Cramp and spasm
R31.0 Gross hematuria
R31.9 Hematuria, unspecified
R35.0 Frequency of micturition
R41.3 Other amnesia
R42 Dizziness and giddiness
R50.9 Fever, unspecified
R51.9 Headache, unspecified
R53.1 Weakness
R53.81 Other malaise
R53.82 Chronic fatigue, unspecified
R53.83 Other fatigue
R55 Syncope and collapse
R59.9 Enlarged lymph nodes, unspecified
R60.9 Edema, unspecified
R61 Generalized hyperhidrosis
R63.0 Anorexia
R63.1 Polydipsia
R63.4 Abnormal weight loss
R63.5 Abnormal weight gain
R63.6 Underweight
R68.83 Chills (without fever)
R68.82 Decreased libido
R70.0 Elevated erythrocyte sedimentation rate
R73.01 Impaired fasting glucose
R73.02 Impaired glucose tolerance (oral)
R73.03 Prediabetes
R73.09 Other abnormal glucose
R73.9 Hyperglycemia, unspecified
R74.01 Elevation of levels of liver transaminase levels
R74.8 Abnormal levels of other serum enzymes
R75 Inconclusive laboratory evidence of human immunodeficiency virus [HIV]
R79.82 Elevated C-reactive protein (CRP)
R79.89 Other specified abnormal findings of blood chemistry
R79.9 Abnormal finding of blood chemistry, unspecified
R80.9 Proteinuria, unspecified
R82.90 Unspecified abnormal findings in urine
R94.4 Abnormal results of kidney function studies
R94.5 Abnormal results of liver function studies
R94.6 Abnormal results of thyroid function studies
R97.20 Elevated prostate specific antigen [PSA]
U07.1 COVID-19
U09.9 Post COVID-19 condition, unspecified
Z00.00 Encounter for general adult medical examination without abnormal findings
Z00.01 Encounter for general adult medical examination with abnormal findings
Z00.121 Encounter for routine child health examination with abnormal findings
Z00.129 Encounter for routine child health examination without abnormal findings
Z01.411 Encounter for gynecological examination (general) (routine) with abnormal findings
Z01.419 Encounter for gynecological examination (general) (routine) without abnormal findings
Z01.812 Encounter for preprocedural laboratory examination
Z01.83 Encounter for blood typing
Z01.84 Encounter for antibody response examination
Z02.89 Encounter for other administrative examinations
Z11.3 Encounter for screening for infections with a predominantly sexual mode of transmission
Z11.4 Encounter for screening for human immunodeficiency virus [HIV]
Z11.51 Encounter for screening for human papillomavirus (HPV)
Z11.59 Encounter for screening for other viral diseases
Z12.11 Encounter for screening for malignant neoplasm of colon
Z12.4 Encounter for screening for malignant neoplasm of cervix
Z12.5 Encounter for screening for malignant neoplasm of prostate
Z13.0 Encounter for screening for diseases of the blood and blood-forming organs and certain disorders involving the immune mechanism
Z13.1 Encounter for screening for diabetes mellitus
Z13.21 Encounter for screening for nutritional disorder
Z13.220 Encounter for screening for lipoid disorders
Z13.228 Encounter for screening for other metabolic disorders
Z13.29 Encounter for screening for other suspected endocrine disorder
Z13.6 Encounter for screening for cardiovascular disorders
Z13.88 Encounter for screening for disorder due to exposure to contaminants
Z13.9 Encounter for screening, unspecified
Z20.2 Contact with and (suspected) exposure to infections with a predominantly sexual mode of transmission
Z20.5 Contact with and (suspected) exposure to viral hepatitis
Z20.6 Contact with and (suspected) exposure to human immunodeficiency virus [HIV]
Z21 Asymptomatic human immunodeficiency virus [HIV] infection status
Z32.00 Encounter for pregnancy test, result unknown
Z32.01 Encounter for pregnancy test, result positive
Z33.1 Pregnant state, incidental
Z34.90 Encounter for supervision of normal pregnancy, unspecified, unspecified trimester
Z51.81 Encounter for therapeutic drug level monitoring
Z68.30* Body mass index [BMI] 30.0-30.9, adult
Z68.35* Body mass index [BMI] 35.0-35.9, adult
Z71.3 Dietary counseling and surveillance
Z72.0 Tobacco use
Z72.51 High risk heterosexual behavior
Z72.52 High risk homosexual behavior
Z79.01* Long term (current) use of anticoagulants
Z79.4* Long term (current) use of insulin
Z79.82* Long term (current) use of aspirin
Z79.84* Long term (current) use of oral hypoglycemic drugs
Z79.890* Hormone replacement therapy
Z79.899* Other long term (current) drug therapy
Z80.0 Family history of malignant neoplasm of digestive organs
Z80.3 Family history of malignant neoplasm of breast
Z80.42 Family history of malignant neoplasm of prostate
Z82.49 Family history of ischemic heart disease and other diseases of the circulatory system
Z83.3 Family history of diabetes mellitus
Z83.42 Family history of familial hypercholesterolemia
Z83.49 Family history of other endocrine, nutritional and metabolic diseases
Z85.3 Personal history of malignant neoplasm of breast
Z85.46 Personal history of malignant neoplasm of prostate
Z86.39 Personal history of other endocrine, nutritional and metabolic disease
Z87.891 Personal history of nicotine dependence
Z90.710 Acquired absence of both cervix and uterus
Z94.0 Kidney transplant status
Z98.84 Bariatric surgery status
`;
