import { v7 } from 'uuid';

/** A UUID v7: ids made by one process only grow, so new rows go to the end of every index. */
export const newId = (): string => v7();
