import type { TxCtx } from '../../context.ts';
import type { Form } from '../media.ts';
import { oncePerKey, type KeyedRequest } from './idempotency.ts';
import type { Answer } from './write.ts';

/**
 * The `once` of a form, whose content is known when its verb has read it. What it is refused with is not kept: it was
 * mostly refused before that.
 */
export function oncePerForm(
  keyed: KeyedRequest | null,
  toAnswer: (value: unknown) => Answer | Promise<Answer>,
): Form['once'] {
  return async (ctx, content, work) => {
    if (!keyed) return work(ctx);
    const asked = { ...keyed, input: { ...(keyed.input as object), body: content }, successesOnly: true };
    const { body } = await oncePerKey(ctx as TxCtx, asked, async (tx) => toAnswer(await work(tx as typeof ctx)));
    return JSON.parse(String(body)) as Awaited<ReturnType<typeof work>>;
  };
}
