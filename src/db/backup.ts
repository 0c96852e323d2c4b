export async function backup(_: unknown): Promise<{ tables: { rows: number }[] }> { throw new Error('not yet'); }
