import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The members of a type of operation.ts. Those of nested objects are further right. */
function membersOf(type: string): string[] {
  const source = readFileSync('src/operation/operation.ts', 'utf8');
  const [, body = ''] =
    new RegExp(`^(?:export )?type ${type}\\b[^;]*?= (?:OperationTexts & )?\\{\\n([^]*?)^\\};`, 'm').exec(source) ?? [];
  return [...body.matchAll(/^ {2}(\w+)\??: /gm)].map(([, name]) => name as string);
}

test('the README has every member that an operation can declare, and no other', () => {
  const [, chapter = ''] = readFileSync('src/operation/README.md', 'utf8').split('## What an operation declares');
  const rows = [...(chapter.split('\n## ')[0] as string).matchAll(/^\| (`.*?`) \|/gm)];
  const named = rows.flatMap(([, cell]) =>
    [...(cell as string).matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
  );
  const declared = [...membersOf('OperationTexts'), ...membersOf('Definition')];
  expect(declared).toContain('operatorOnly');
  expect(named.toSorted()).toEqual(declared.toSorted());
});
