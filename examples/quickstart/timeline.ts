/** Prints the story. Each line begins with the seconds since the start. */
export type Timeline = {
  /** Prints the title of a chapter of the story. */
  chapter: (title: string) => void;
  /** Prints a request and a summary of its response. */
  step: (what: string, response: string) => void;
  /** Prints something that arrived without a request, such as a webhook. */
  arrival: (what: string) => void;
};

export function openTimeline(print: (line: string) => void): Timeline {
  const begin = performance.now();
  const time = (): string => `${((performance.now() - begin) / 1000).toFixed(3).padStart(8)} s`;
  const indent = ' '.repeat(12);
  return {
    chapter: (title) => print(`\n${title}`),
    step: (what, response) => print(`${time()}  ${what}\n${indent}${response}`),
    arrival: (what) => print(`${time()}    <- ${what}`),
  };
}
