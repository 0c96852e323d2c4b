type Write = (fields: object, message: string) => void;

/** The log of this package. A pino logger has this type. */
export type Log = { info: Write; warn: Write; error: Write };
