/** The names that clients know schedulers by. */
export const APPOINTMENT_PROVIDERS = ['getlabs', 'phlebfinders', 'quest', 'sonora_quest'] as const;

/** Who comes to the patient, and who books at service centers. */
export type AppointmentProvider = (typeof APPOINTMENT_PROVIDERS)[number];

export const CENTER_PROVIDERS = ['quest', 'sonora_quest'] as const satisfies AppointmentProvider[];

/** Those who come to patients; the others book at service centers. */
export const PHLEBOTOMY_PROVIDERS = ['getlabs', 'phlebfinders'] as const satisfies AppointmentProvider[];

export const comesToPatients = (provider: string): boolean => PHLEBOTOMY_PROVIDERS.some((name) => name === provider);
