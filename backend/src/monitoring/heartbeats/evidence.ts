import { truncateText } from '@vedette/shared'
import { decodeText, cutText, readable } from '../checks/index.ts'
import { maskSecrets } from '../../platform/logging/mask-secrets.ts'

/** Bytes of a body that are kept, and what `Ping-Body-Limit` says. */
export const KEPT_BODY_BYTES = 10_000
/** Longer ones are refused; what is beyond the kept beginning is read and thrown away. */
export const MAX_BODY_BYTES = 1_048_576
const MAX_USER_AGENT_LENGTH = 200

/** The beginning of a body for people, without secrets; null for none. Pure. */
export function bodyText(bytes: Uint8Array, contentType: string | undefined, secrets: readonly string[]): string | null {
  if (bytes.length === 0) return null
  const text = readable(decodeText(bytes, contentType))
  // The last word of a body that was cut may be half of a secret.
  const whole = bytes.length < KEPT_BODY_BYTES ? text : text.replace(/\S{1,4096}$/, '')
  return cutText(maskSecrets(whole, secrets), KEPT_BODY_BYTES)
}

/** A short text of a client, for people. Pure. */
export const shortText = (text: string | undefined, secrets: readonly string[]): string | null =>
  text === undefined || text === '' ? null : truncateText(maskSecrets(readable(text), secrets), MAX_USER_AGENT_LENGTH)
