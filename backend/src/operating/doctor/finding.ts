/** What one check found. A warning needs no change now; a fault does. */
export interface Finding {
  subject: string
  state: 'ok' | 'warning' | 'fault'
  detail: string
  /** What to do about it, one line; null when nothing is to be done. */
  remedy: string | null
}

export const ok = (subject: string, detail: string): Finding => ({ subject, state: 'ok', detail, remedy: null })
export const warning = (subject: string, detail: string, remedy: string): Finding => ({
  subject,
  state: 'warning',
  detail,
  remedy,
})
export const fault = (subject: string, detail: string, remedy: string): Finding => ({ subject, state: 'fault', detail, remedy })

/** The first line of an error; some of the database driver have none. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return (message || code || String(error)).split('\n')[0] ?? ''
}
