import { type ErrorDetail, MASK, MAX_ICAL_URL_LENGTH } from '@vedette/shared'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../../platform/encrypted-values/encrypted-values.ts'

/** Of the addresses of calendars, which are secrets: who knows one reads the calendar. */
export const icalEncrypter = encryptedValues('calendar of a schedule', [
  { table: 'schedule', key: ['organization', 'id'], column: 'ical_url' },
])

export const encryptUrl = (encrypter: Encrypter, scheduleId: string, url: string): Buffer =>
  encrypter.encrypt(Buffer.from(url), scheduleId)

/** Undefined where no configured secret decrypts it: it has to be entered again. */
export const decryptUrl = (encrypter: Encrypter, scheduleId: string, encrypted: Buffer): string | undefined =>
  encrypter.decrypt(encrypted, scheduleId)?.toString()

/** The address as it is requested: `webcal:` is what calendars call https. Pure. */
export const requestedUrl = (url: string): string => url.trim().replace(/^webcals?:/i, 'https:')

/** What the schema does not say of an address. `hasStored`: whether one can stay as it is. Pure. */
export function urlFaults(given: unknown, hasStored: boolean): ErrorDetail[] {
  if (typeof given !== 'string' || given.length > MAX_ICAL_URL_LENGTH) return []
  const path = 'ical_url'
  if (given === MASK) return hasStored ? [] : [{ path, message: `is ${MASK}, and none is stored: send the address` }]
  const url = URL.parse(requestedUrl(given))
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    return [{ path, message: 'must be an http, https or webcal address' }]
  return url.username !== '' || url.password !== '' ? [{ path, message: 'must not have a login in it' }] : []
}
