/** A time in which something was the case, drawn behind the lines. */
export interface Band {
  /** ms */
  from: number
  to: number
  tone: 'bad' | 'warn' | 'idle'
  /** Shown where the cursor is in it. */
  label: string
}

/** A vertical line at an instant, ms. */
export interface Mark {
  at: number
  label: string
}
