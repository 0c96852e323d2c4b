// The names of folders and files in the archives of services.
const lines = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());
const words = (text: string): string[] => text.trim().split(/\s+/);

/** The file endings that the name of a skipped type may contain. A person may have chosen any other ending. */
export const ENDINGS: readonly string[] = words(
  'bin csv fit gpx gz html jpeg jpg json mov mp4 pdf png tcx txt xml xsl zip',
);

export const FOLDERS: readonly string[] = [
  ...words(`
    DI-Connect-Aggregator DI-Connect-Audit DI-Connect-Connect DI-Connect-Consents DI-Connect-Device DI-Connect-Fitness
    DI-Connect-Fitness-Uploaded-Files DI-Connect-Gear DI-Connect-Golf DI-Connect-Insights DI-Connect-Marketing
    DI-Connect-Metrics DI-Connect-Onboarding DI-Connect-Social DI-Connect-Uploaded-Files DI-Connect-User
    DI-Connect-Wellness`),
  ...lines(`
    Active Zone Minutes (AZM)
    Activity Goals
    Atrial Fibrillation ECG
    Atrial Fibrillation PPG
    Biometrics
    Blood Glucose
    Discover
    Fitbit Care or Health Coaching
    Fitbit Friends
    Fitbit Premium
    Global Export Data
    Guided Programs
    Health Fitness Data_GoogleData
    Heart Rate
    Heart Rate Variability
    Hypertension
    Menstrual Health
    Mindfulness
    Nutrition
    Oxygen Saturation (SpO2)
    Paired Devices
    Physical Activity
    Physical Activity_GoogleData
    Sleep
    Sleep Score
    Snore and Noise Detect
    Social
    Stress Journal
    Stress Score
    Subscriptions
    Temperature
    Your Profile`),
];

/** The names of files in a Google export, without dates and numbers. */
export const FILES: readonly string[] = words(`
  UserAppSettingData UserDemographicData UserExercises UserLegacySettingData UserMBDData UserProfiles UserSleepScores
  UserSleepStages UserSleeps active_minutes active_zone_minutes activity_level altitude badge body_fat body_temperature
  calories calories_in_heart_rate_zone cardio_acute_chronic_workload_ratio cardio_load cardio_load_observed_interval
  daily_heart_rate_variability daily_heart_rate_zones daily_oxygen_saturation daily_readiness daily_respiratory_rate
  daily_resting_heart_rate demographic_vo demographic_vo_max distance estimated_oxygen_variation exercise
  files floors food_logs gps_location heart_rate heart_rate_variability height lightly_active_minutes live_pace
  moderately_active_minutes oxygen_saturation respiratory_rate respiratory_rate_sleep_summary resting_heart_rate run_vo
  run_vo_max sedentary_minutes sedentary_period sleep sleep_score steps swim_lengths_data time_in_heart_rate_zone
  time_in_heart_rate_zones very_active_minutes water_logs weight`);

/** The names of Samsung Health's tables. */
export const SAMSUNG_TABLES: readonly string[] = [
  ...words(`
    ambient_temperature blood_glucose blood_pressure body_temperature caffeine_intake device_profile ecg
    electrocardiogram exercise floors_climbed food_info food_intake hba1c heart_rate height hrv hydration movement
    nutrition oxygen_saturation oxygen_saturation.raw respiratory_rate skin_temperature sleep sleep_stage step_count
    user_profile uv_exposure water_intake weight`).map((name) => `com.samsung.health.${name}`),
  ...words(`
    activity.day_summary activity.goal activity_level advanced_glycation_endproduct alerted_heart_rate antioxidant badge
    best_records blood_pressure body_composition breathing calories_burned.details cycle.daily_temperature
    cycle.flow cycle.history cycle.mood cycle.profile cycle.symptom ecg energy_score exercise exercise.custom_exercise
    exercise.extension exercise.hr_zone exercise.hr_zone.settings exercise.max_heart_rate
    exercise.periodization_training_program exercise.periodization_training_schedule exercise.program
    exercise.recovery_heart_rate exercise.routine exercise.weather food_favorite food_frequent food_goal food_image
    food_info food_intake goal goal_history hsp.references insight.message_notification insight_message medication
    mindfulness.session mood permission preferences program.program program.schedule report rewards
    service_preferences shm_device sleep sleep_apnea sleep_coaching sleep_combined sleep_data sleep_goal sleep_raw_data
    sleep_snoring snoring social.leaderboard social.public_challenge social.public_challenge.detail
    social.public_challenge.extra social.public_challenge.history social.public_challenge_history social.service_status
    social_leaderboard social_public_challenge social_service_status stand_day_summary step_daily_trend stress
    stress.base_histogram stress.histogram tracker.floors_day_summary tracker.heart_rate tracker.oxygen_saturation
    tracker.pedometer_day_summary tracker.pedometer_event tracker.pedometer_recommendation
    tracker.pedometer_step_count tracker.uv vascular_load vitality_score water_intake_goal weight_goal`).map(
    (name) => `com.samsung.shealth.${name}`,
  ),
];
