import { parseConfig, type ConfigError } from '../src/config/options.ts';

/** The problems of a configuration, or an empty list. */
export function configProblems(env: Record<string, string>): string[] {
  try {
    parseConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}
