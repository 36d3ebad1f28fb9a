/** Asks a URL of the operator's choice, so that somebody else hears when Vedette does not run any more. */
export interface DeadManDeps {
  url: string
  get(url: string): Promise<{ status: number }>
  /** Whether the database answers: without it nothing is watched, and the ping stays out. */
  isAlive(): Promise<boolean>
  warn(reason: string): void
}

export async function pingDeadMan({ url, get, isAlive, warn }: DeadManDeps): Promise<void> {
  if (!(await isAlive())) return
  try {
    const { status } = await get(url)
    if (status >= 300) warn(`the answer was ${status}`)
  } catch (error) {
    warn((error as Error).message)
  }
}
