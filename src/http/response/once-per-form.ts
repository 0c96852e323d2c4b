import type { TxCtx } from '../../context.ts';
import type { Form } from '../../operation/media.ts';
import { oncePerKey, type KeyedRequest } from './idempotency.ts';
import type { HttpResponse } from './write-response.ts';

/**
 * Makes the `once` function of a form. `once` runs `work` once per idempotency key. The service function reads the
 * entire form before it calls `once`, because we compare the content of a repeated form. We do not store refusals,
 * because we refuse most forms before the call of `once`.
 */
export function oncePerForm(
  keyed: KeyedRequest | null,
  toResponse: (value: unknown) => HttpResponse | Promise<HttpResponse>,
): Form['once'] {
  return async (ctx, content, work) => {
    if (!keyed) return work(ctx);
    const asked = { ...keyed, input: { ...(keyed.input as object), body: content }, successesOnly: true };
    const { body } = await oncePerKey(ctx as TxCtx, asked, async (tx) => toResponse(await work(tx as typeof ctx)));
    return JSON.parse(String(body)) as Awaited<ReturnType<typeof work>>;
  };
}
