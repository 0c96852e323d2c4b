/** The scopes that the API knows of providers that Phial cannot connect, by slug. */
export const UNCONNECTED_SCOPES = {
  fitbit: [
    'heartrate',
    'oxygen_saturation',
    'cardio_fitness',
    'respiratory_rate',
    'activity',
    'location',
    'nutrition',
    'profile',
    'settings',
    'sleep',
    'social',
    'weight',
    'temperature',
  ],
  google_fit: [
    'openid',
    'email',
    ...['activity', 'body', 'sleep', 'blood_glucose', 'blood_pressure', 'heart_rate', 'nutrition', 'location'].map(
      (name) => `https://www.googleapis.com/auth/fitness.${name}.read`,
    ),
  ],
  my_fitness_pal_v2: ['diary', 'measurements', 'private-exercises', 'subscriptions'],
};
