/** The names by which clients know schedulers. */
export const APPOINTMENT_PROVIDERS = ['getlabs', 'phlebfinders', 'quest', 'sonora_quest'] as const;

/** The providers that visit patients, and those that book at service centers. */
export type AppointmentProvider = (typeof APPOINTMENT_PROVIDERS)[number];

export const CENTER_PROVIDERS = ['quest', 'sonora_quest'] as const satisfies AppointmentProvider[];

/** These providers visit patients; the others book at service centers. */
export const PHLEBOTOMY_PROVIDERS = ['getlabs', 'phlebfinders'] as const satisfies AppointmentProvider[];

export const comesToPatients = (provider: string): boolean => PHLEBOTOMY_PROVIDERS.some((name) => name === provider);
