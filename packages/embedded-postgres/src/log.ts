type Write = (fields: object, message: string) => void;

/** The log of this package. A logger of pino fits. */
export type Log = { info: Write; warn: Write; error: Write };
