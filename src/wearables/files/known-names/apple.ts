// The names of HealthKit types, as an export of Apple's Health app writes them.
const words = (text: string): string[] => text.trim().split(/\s+/);
const named = (prefix: string, text: string): string[] => words(text).map((word) => prefix + word);

export const APPLE_TYPES: readonly string[] = [
  ...named(
    'HKQuantityTypeIdentifier',
    `ActiveEnergyBurned AppleExerciseTime AppleMoveTime AppleSleepingBreathingDisturbances AppleSleepingWristTemperature
     AppleStandTime AppleWalkingSteadiness AtrialFibrillationBurden BasalBodyTemperature BasalEnergyBurned
     BloodAlcoholContent BloodGlucose BloodPressureDiastolic BloodPressureSystolic BodyFatPercentage BodyMass
     BodyMassIndex BodyTemperature CrossCountrySkiingSpeed CyclingCadence CyclingFunctionalThresholdPower CyclingPower
     CyclingSpeed DietaryBiotin DietaryCaffeine DietaryCalcium DietaryCarbohydrates DietaryChloride DietaryCholesterol
     DietaryChromium DietaryCopper DietaryEnergyConsumed DietaryFatMonounsaturated DietaryFatPolyunsaturated
     DietaryFatSaturated DietaryFatTotal DietaryFiber DietaryFolate DietaryIodine DietaryIron DietaryMagnesium
     DietaryManganese DietaryMolybdenum DietaryNiacin DietaryPantothenicAcid DietaryPhosphorus DietaryPotassium
     DietaryProtein DietaryRiboflavin DietarySelenium DietarySodium DietarySugar DietaryThiamin DietaryVitaminA
     DietaryVitaminB12 DietaryVitaminB6 DietaryVitaminC DietaryVitaminD DietaryVitaminE DietaryVitaminK DietaryWater
     DietaryZinc DistanceCrossCountrySkiing DistanceCycling DistanceDownhillSnowSports DistancePaddleSports
     DistanceRowing DistanceSkatingSports DistanceSwimming DistanceWalkingRunning DistanceWheelchair
     ElectrodermalActivity EnvironmentalAudioExposure EnvironmentalSoundReduction EstimatedWorkoutEffortScore
     FlightsClimbed ForcedExpiratoryVolume1 ForcedVitalCapacity HeadphoneAudioExposure HeartRate
     HeartRateRecoveryOneMinute HeartRateVariabilitySDNN Height InhalerUsage InsulinDelivery LeanBodyMass NikeFuel
     NumberOfAlcoholicBeverages NumberOfTimesFallen OxygenSaturation PaddleSportsSpeed PeakExpiratoryFlowRate
     PeripheralPerfusionIndex PhysicalEffort PushCount RespiratoryRate RestingHeartRate RowingSpeed
     RunningGroundContactTime RunningPower RunningSpeed RunningStrideLength RunningVerticalOscillation
     SixMinuteWalkTestDistance StairAscentSpeed StairDescentSpeed StepCount SwimmingStrokeCount TimeInDaylight
     UVExposure UnderwaterDepth VO2Max WaistCircumference WalkingAsymmetryPercentage WalkingDoubleSupportPercentage
     WalkingHeartRateAverage WalkingSpeed WalkingStepLength WaterTemperature WorkoutEffortScore`,
  ),
  ...named(
    'HKCategoryTypeIdentifier',
    `AbdominalCramps Acne AppetiteChanges AppleStandHour AppleWalkingSteadinessEvent AudioExposureEvent
     BladderIncontinence BleedingAfterPregnancy BleedingDuringPregnancy Bloating BreastPain CervicalMucusQuality
     ChestTightnessOrPain Chills Constipation Contraceptive Coughing Diarrhea Dizziness DrySkin
     EnvironmentalAudioExposureEvent Fainting Fatigue Fever GeneralizedBodyAche HairLoss HandwashingEvent Headache
     HeadphoneAudioExposureEvent Heartburn HighHeartRateEvent HotFlashes HypertensionEvent InfrequentMenstrualCycles
     IntermenstrualBleeding IrregularHeartRhythmEvent IrregularMenstrualCycles Lactation LossOfSmell LossOfTaste
     LowCardioFitnessEvent LowHeartRateEvent LowerBackPain MemoryLapse MenstrualFlow MindfulSession MoodChanges Nausea
     NightSweats OvulationTestResult PelvicPain PersistentIntermenstrualBleeding Pregnancy PregnancyTestResult
     ProgesteroneTestResult ProlongedMenstrualPeriods RapidPoundingOrFlutteringHeartbeat RunnyNose SexualActivity
     ShortnessOfBreath SinusCongestion SkippedHeartbeat SleepAnalysis SleepApneaEvent SleepChanges SoreThroat
     ToothbrushingEvent VaginalDryness Vomiting Wheezing`,
  ),
  ...named('HKCorrelationTypeIdentifier', 'BloodPressure Food'),
  ...named('HKDataType', 'SleepDurationGoal StateOfMind'),
  ...named('HKDataTypeIdentifier', 'Audiogram Electrocardiogram HeartbeatSeries StateOfMind VisionPrescription'),
  ...named('HKScoredAssessmentTypeIdentifier', 'GAD7 PHQ9'),
  ...named(
    'HKClinicalTypeIdentifier',
    `AllergyRecord ClinicalNoteRecord ConditionRecord CoverageRecord ImmunizationRecord LabResultRecord
     MedicationRecord ProcedureRecord VitalSignRecord`,
  ),
  ...words(
    'HKMedicationDoseEventTypeIdentifierMedicationDoseEvent HKUserAnnotatedMedicationTypeIdentifier ' +
      'HKWorkoutTypeIdentifier',
  ),
];

/** The names of all elements in an export. */
export const APPLE_ELEMENTS: readonly string[] = words(
  `ActivitySummary Audiogram ClinicalRecord Correlation ExportDate Me Medication MedicationDoseEvent Record
   SensitivityPoint StateOfMind UserAnnotatedMedication VisionPrescription Workout WorkoutRoute`,
);

/** The kinds of clinical records. They are resource types of FHIR. */
export const CLINICAL_RECORDS: readonly string[] = words(
  `AllergyIntolerance Condition Coverage DiagnosticReport DocumentReference Encounter Immunization Medication
   MedicationDispense MedicationOrder MedicationRequest MedicationStatement Observation Patient Practitioner Procedure`,
);
