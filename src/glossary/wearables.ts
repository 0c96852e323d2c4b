/** What a field of this name means, wherever it stands: of wearables. */
export const wearables: Record<string, string> = {
  timestamp: 'When it was taken; of an interval its start.',
  start: 'Start of the interval.',
  end: 'End of the interval.',
  systolic: 'Systolic pressure.',
  diastolic: 'Diastolic pressure.',
  sensor_location: 'Where on the body the sensor was.',
  intensity: 'How hard the workout was.',
  tags: 'What the note is about.',
  delivery_mode: 'Whether the insulin was a background rate or a single dose.',
  delivery_form: 'Whether the dose was given at once or over a time.',
  bolus_purpose: 'What the single dose was for.',
  app_id: 'Id of the app that recorded it.',
  device_id: 'Id of the device that recorded it.',
  import_id: 'Id of the import.',
  sport: 'The sport, of what belongs to a workout.',
  workout_id: 'The workout that it belongs to.',
};
