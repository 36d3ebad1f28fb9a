import { Type } from 'typebox'

/** Prefix of each kind of id; the rest of a TypeID is 26 base32 characters of a UUIDv7. */
export const ID_PREFIX = {
  organization: 'org',
  user: 'usr',
  session: 'ses',
  server: 'srv',
  monitor: 'mon',
  apiKey: 'key',
  invitation: 'inv',
  alertRule: 'alr',
  channel: 'chn',
  incident: 'inc',
  maintenanceWindow: 'mnt',
  auditEvent: 'aud',
} as const
export type IdKind = keyof typeof ID_PREFIX

/** Schema of an id in an answer. Ids in requests are plain strings: one that does not parse is a 404 like an unknown one. */
export function IdOf(kind: IdKind) {
  return Type.String({ pattern: `^${ID_PREFIX[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$` })
}

/** An id in a path, of any text (as long as a URL may be): what does not parse is answered like what does not exist. */
export const IdParams = Type.Object({ id: Type.String({ maxLength: 8_192 }) })
