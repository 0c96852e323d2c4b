export async function restore(_: unknown): Promise<void> { throw new Error('not yet'); }
