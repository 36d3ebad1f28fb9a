/** One of the API, whose names this page may not know. */
export interface AnyAssertion {
  type: string
  operator: string
  property?: string
  value?: string | number
}

/** What the editor of a new monitor begins with: what a proposal, a tile or a preset says of it. */
export interface Draft {
  type: string
  /** Empty: named after its address. */
  name?: string
  url?: string
  method?: string
  headers?: readonly (readonly [name: string, value: string])[]
  body?: string
  timeoutSeconds?: number
  followRedirects?: boolean
  verifyTls?: boolean
  /** As the API takes them. */
  options?: Readonly<Record<string, unknown>>
  credentials?: Readonly<Record<string, string>>
  assertions?: readonly AnyAssertion[]
}
