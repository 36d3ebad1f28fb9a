import type { LdapFilter } from '@vedette/shared'
import { protocolFault } from '../conversation/check-fault.ts'
import type { ByteReader } from '../conversation/byte-reader.ts'
import { BOOLEAN, element, ENUMERATED, INTEGER, integer, OCTETS, octets, SEQUENCE } from '../conversation/ber-writer.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { contentsIn, elementIn, numberOf } from '../conversation/ber-reader.ts'
import { readable } from '../conversation/readable.ts'
import { nextElement } from '../tls/ber.ts'

/** Messages of LDAP, version 3 (RFC 4511). */

export const BIND_RESPONSE = 0x61
export const SEARCH_ENTRY = 0x64
export const SEARCH_DONE = 0x65
/** Also the notice that the server ends the connection. */
export const EXTENDED_RESPONSE = 0x78

const SET = 0x31

export const RESULTS = { success: 0, sizeLimitExceeded: 4, noSuchObject: 32, invalidCredentials: 49 } as const

const message = (id: number, operation: Uint8Array): Buffer => element(SEQUENCE, integer(id), operation)

/** A simple bind; with an empty name and password it is anonymous. */
export const bindRequest = (id: number, name: string, password: string): Buffer =>
  message(id, element(0x60, integer(3), octets(name), octets(password, 0x80)))

export const unbindRequest = (id: number): Buffer => message(id, element(0x42))

const SCOPES = { base: 0, one: 1, sub: 2 } as const

export interface Search {
  base: string
  scope: keyof typeof SCOPES
  filter: LdapFilter
  /** None: the name of the entry alone. */
  attribute: string
  timeLimitSeconds: number
}

/** Of one entry. */
export const searchRequest = (id: number, { base, scope, filter, attribute, timeLimitSeconds }: Search): Buffer =>
  message(
    id,
    element(
      0x63,
      octets(base),
      integer(SCOPES[scope], ENUMERATED),
      integer(0, ENUMERATED),
      integer(1),
      integer(timeLimitSeconds),
      element(BOOLEAN, Buffer.from([0])),
      filterElement(filter),
      // RFC 4511, section 4.5.1.8: 1.1 is no attribute.
      element(SEQUENCE, octets(attribute === '' ? '1.1' : attribute)),
    ),
  )

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')
const ORDERS = { equals: 0xa3, greater: 0xa5, less: 0xa6, approx: 0xa8 } as const

function filterElement(filter: LdapFilter): Buffer {
  switch (filter.type) {
    case 'and':
    case 'or':
      return element(filter.type === 'and' ? 0xa0 : 0xa1, ...filter.filters.map(filterElement))
    case 'not':
      return element(0xa2, filterElement(filter.filter))
    case 'present':
      return octets(filter.attribute, 0x87)
    case 'substrings': {
      const last = filter.parts.length - 1
      const parts = filter.parts.flatMap((part, index) =>
        part === '' ? [] : [octets(bytesOf(part), index === 0 ? 0x80 : index === last ? 0x82 : 0x81)],
      )
      return element(0xa4, octets(filter.attribute), element(SEQUENCE, ...parts))
    }
    case 'equals':
    case 'greater':
    case 'less':
    case 'approx':
      return element(ORDERS[filter.type], octets(filter.attribute), octets(bytesOf(filter.value)))
  }
}

/** The next message of this id: the tag of its operation, and its fields. */
export async function readMessage(conversation: Conversation, id: number): Promise<{ tag: number; fields: ByteReader }> {
  const fields = await nextElement(conversation, SEQUENCE)
  const own = numberIn(fields, INTEGER)
  const { tag, contents } = elementIn(fields)
  if (own === 0 && tag === EXTENDED_RESPONSE) throw protocolFault(`the server ended the connection (${resultIn(contents).text})`)
  if (own !== id) throw protocolFault('the server does not speak LDAP')
  return { tag, fields: contents }
}

const numberIn = (fields: ByteReader, tag: number): number | undefined => numberOf({ tag, contents: contentsIn(fields, tag) })

const textIn = (fields: ByteReader): string => contentsIn(fields, OCTETS).rest().toString()

/** The result code, and with it what the server says. */
export function resultIn(fields: ByteReader): { code: number; text: string } {
  const code = numberIn(fields, ENUMERATED) ?? -1
  textIn(fields)
  const said = textIn(fields)
  return { code, text: readable(said === '' ? String(code) : `${code} ${said}`) }
}

/** The name of an entry, and the first value of its first attribute. */
export function entryIn(fields: ByteReader): { name: string; value: Buffer | undefined } {
  const name = textIn(fields)
  const attributes = contentsIn(fields, SEQUENCE)
  if (attributes.left === 0) return { name, value: undefined }
  const first = contentsIn(attributes, SEQUENCE)
  textIn(first)
  const set = contentsIn(first, SET)
  return { name, value: set.left > 0 ? contentsIn(set, OCTETS).rest() : undefined }
}
