import { typedDuration } from '../../lib/format.ts'
import { newKey } from '../../lib/rows.ts'
import { type AnyAssertion, type MonitorInput, NEW_MONITOR, toAssertionInput, withType } from './input.ts'
import { kindOf } from './kind.ts'

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

export function toInput(draft: Draft): MonitorInput {
  const { type, name, url, method, headers, body, timeoutSeconds, followRedirects, verifyTls, options, credentials } = draft
  const ofKind = { ...NEW_MONITOR, ...withType(NEW_MONITOR, type) }
  return {
    ...ofKind,
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(method !== undefined && { method }),
    ...(headers && { headers: headers.map(([header, value]) => ({ key: newKey(), name: header, value })) }),
    ...(body !== undefined && { body }),
    ...(timeoutSeconds !== undefined && { timeout: typedDuration(timeoutSeconds) }),
    ...(followRedirects !== undefined && { followRedirects }),
    ...(verifyTls !== undefined && { verifyTls }),
    ...(options && { options: kindOf(type).typedOptions(options) }),
    ...(credentials && { credentials }),
    ...(draft.assertions && { assertions: draft.assertions.map(toAssertionInput) }),
  }
}
