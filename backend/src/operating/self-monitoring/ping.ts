export interface DeadManDeps {
  url: string
  get(url: string): Promise<{ status: number }>
  /** Whether the database answers. */
  isAlive(): Promise<boolean>
  warn(reason: string): void
}

/**
 * Requests the URL of an external dead man's switch, which raises the alarm when the requests stop. Without a database nothing is
 * monitored, so no request is sent.
 */
export async function pingDeadMan({ url, get, isAlive, warn }: DeadManDeps): Promise<void> {
  if (!(await isAlive())) return
  try {
    const { status } = await get(url)
    if (status >= 300) warn(`the status was ${status}`)
  } catch (error) {
    warn((error as Error).message)
  }
}
