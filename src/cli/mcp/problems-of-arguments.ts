import type { TObject } from 'typebox';

type Member = { enum?: unknown[]; items?: Member };

/** Messages of the validator that name no argument and no value. We write these problems ourselves. */
const UNNAMED = /additional properties|allowed values/;
const MOST_NAMED = 10;
const LONGEST_NAME = 100;

/**
 * Returns what is wrong with the arguments of a call, with the names of unknown arguments and the values that an
 * argument takes, so that an assistant can correct its call. `messages` are those of the validator.
 */
export function problemsOfArguments(input: TObject, values: unknown, messages: string[]): string {
  const members = input.properties as Record<string, Member>;
  const given = Object.entries(typeof values === 'object' && values !== null ? values : {});
  const unknown = given
    .filter(([name]) => !Object.hasOwn(members, name))
    .map(([name]) => JSON.stringify(name.slice(0, LONGEST_NAME)));
  const named = [
    ...(unknown.length === 0
      ? []
      : [
          `There is no argument ${unknown.slice(0, MOST_NAMED).join(', ')}. ` +
            `The arguments are ${Object.keys(members).join(', ')}.`,
        ]),
    ...given.flatMap(([name, value]) => {
      const choices = Object.hasOwn(members, name) ? choicesOf(members[name] as Member) : null;
      const chosen: unknown[] = Array.isArray(value) ? value : [value];
      return choices === null || chosen.every((each) => choices.includes(each))
        ? []
        : [`${name} must be one of ${choices.join(', ')}.`];
    }),
  ];
  const others = messages.filter((message) => named.length === 0 || !UNNAMED.test(message));
  return [...named, ...others].join(' ');
}

const choicesOf = (member: Member): unknown[] | null => member.enum ?? member.items?.enum ?? null;
