/** The names of the messages of FIT files, as Garmin's FIT profile writes them. */
export const FIT_MESSAGES: readonly string[] = `
  aad_accel_features accelerometer_data activity activity_metrics ant_channel_id ant_rx ant_tx aviation_attitude
  barometer_data beat_intervals bike_profile blood_pressure cadence_zone camera_event capabilities chrono_shot_data
  chrono_shot_session climb_pro connectivity course course_point developer_data_id device_aux_battery_info device_info
  device_settings dive_alarm dive_apnea_alarm dive_gas dive_settings dive_summary event
  exd_data_concept_configuration exd_data_field_configuration exd_screen_configuration exercise_title
  field_capabilities field_description file_capabilities file_creator file_id goal gps_metadata gyroscope_data hr
  hr_zone hrm_profile hrv hrv_status_summary hrv_value hsa_accelerometer_data hsa_body_battery_data
  hsa_configuration_data hsa_event hsa_gyroscope_data hsa_heart_rate_data hsa_respiration_data hsa_spo2_data
  hsa_step_data hsa_stress_data hsa_wrist_temperature_data jump lap length magnetometer_data max_met_data memo_glob
  mesg_capabilities met_zone monitoring monitoring_hr_data monitoring_info nap_event nmea_sentence obdii_data
  ohr_settings one_d_sensor_calibration pad power_zone raw_bbi record respiration_rate schedule sdm_profile segment_file
  segment_id segment_lap segment_leaderboard_entry segment_point session set skin_temp_overnight slave_device
  sleep_assessment sleep_disruption_overnight_severity sleep_disruption_severity_period sleep_level software
  speed_zone split split_summary spo2_data sport stress_level tank_summary tank_update three_d_sensor_calibration
  time_in_zone timestamp_correlation totals training_file training_settings user_metrics user_profile video
  video_clip video_description video_frame video_title watchface_settings weather_alert weather_conditions
  weight_scale workout workout_session workout_step zones_target`
  .trim()
  .split(/\s+/);

/** The types of FIT files. */
export const FIT_FILES: readonly string[] = `
  device settings sport activity workout course schedules weight totals goals blood_pressure monitoring_a
  activity_summary monitoring_daily monitoring_b segment segment_list exd_configuration`
  .trim()
  .split(/\s+/);
