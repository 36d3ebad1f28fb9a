import { typedDuration } from '../../lib/format.ts'
import { newKey } from '../../lib/rows.ts'
import type { Draft } from './draft.ts'
import { type MonitorInput, NEW_MONITOR, toAssertionInput, withType } from './input.ts'
import { kindOf } from './kind.ts'

/** The input of the editor that begins with a draft. */
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
