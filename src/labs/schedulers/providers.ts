/** The names by which clients know schedulers. */
export const APPOINTMENT_PROVIDERS = ['getlabs', 'phlebfinders', 'quest', 'sonora_quest'] as const;

/** A company that offers appointments: it visits patients at home, or it takes samples at service centers. */
export type AppointmentProvider = (typeof APPOINTMENT_PROVIDERS)[number];

export const CENTER_PROVIDERS = ['quest', 'sonora_quest'] as const satisfies AppointmentProvider[];

/** The providers that visit patients at home. */
export const PHLEBOTOMY_PROVIDERS = ['getlabs', 'phlebfinders'] as const satisfies AppointmentProvider[];

export const comesToPatients = (provider: string): boolean => PHLEBOTOMY_PROVIDERS.some((name) => name === provider);
