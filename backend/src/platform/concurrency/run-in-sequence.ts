/** Does all of it in turn; one that fails does not stand in the way of the others. The first failure is thrown at the end. */
export async function runInSequence(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const task of tasks) await task().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
