/** What a test looks into without knowing its form: answers, and documents that it takes apart. */
// oxlint-disable-next-line no-explicit-any -- the only place
export type Loose = any

export interface Answer {
  status: number
  headers: Record<string, string | number | string[] | undefined>
  /** The parsed body; undefined when there is none. */
  body: Loose
}
