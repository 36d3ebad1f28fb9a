/**
 * Leases what is due and works on it, a lease after the other, until nothing is due or the program ends. Of one lease all are
 * waited for, also when one fails; then the first failure is thrown.
 */
export async function processLeased<T>(
  lease: () => Promise<readonly T[]>,
  work: (item: T) => Promise<void>,
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    const due = await lease()
    if (due.length === 0) return
    const failed = (await Promise.allSettled(due.map(work))).find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
}
