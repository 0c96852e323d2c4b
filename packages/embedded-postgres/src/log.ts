type Write = (fields: object, message: string) => void;

/** Where the supervisor reports what it does. A logger of pino is one. */
export type Log = { info: Write; warn: Write; error: Write };
