import type { Operation } from '../operation/operation.ts';
import { recordIdsOf } from './audit/record-ids.ts';
import { inputReader } from './input/read-input.ts';
import { compileResponse } from './response/write-response.ts';

/**
 * The functions that we compile from the shapes of an operation. Compilation happens at the first request, so
 * operations that nobody calls cost nothing.
 */
type CompiledOperation = {
  readInput: ReturnType<typeof inputReader>;
  toResponse: () => ReturnType<typeof compileResponse>;
  ids: () => ReturnType<typeof recordIdsOf>;
};

const ofOperations = new WeakMap<Operation, CompiledOperation>();

/** Returns the compiled functions of an operation. All servers of a process share them. */
export function compileOperation(operation: Operation): CompiledOperation {
  let found = ofOperations.get(operation);
  if (!found) {
    found = {
      readInput: inputReader(operation),
      toResponse: lazily(() => compileResponse(operation)),
      ids: lazily(() => recordIdsOf(operation)),
    };
    ofOperations.set(operation, found);
  }
  return found;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
