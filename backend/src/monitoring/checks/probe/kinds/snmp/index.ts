import { type DefinitionOf, type SnmpOid, snmpOidsIn } from '@vedette/shared'
import { malformed } from '../conversation/ber-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import { converseByDatagrams, type Datagrams } from '../conversation/datagram.ts'
import type { Talked } from '../conversation/run-talk.ts'
import type { Attempt, CheckKind } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { type Binding, ERROR_STATUS, errorName, sizeOf } from './message.ts'
import { communitySession, type Session } from './session.ts'
import { openUserSession, type User } from './user-session.ts'
import { absenceOf, valueOf } from './value.ts'

type Definition = DefinitionOf<'snmp'>

/** Values that a device reports (RFC 3416). A value that it does not have is down. */
export const snmp: CheckKind<Definition> = {
  type: 'snmp',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, timeout, options } = definition
    const target = { url, defaultPort: 161, timeout, retries: options.retries }
    converseByDatagrams(attempt, tools, target, async (datagrams) => {
      const session = await openSession(datagrams, definition)
      const values = snmpOidsIn(options)
      const found = new Map<string, Binding>()
      for (const batch of batchesOf(values)) for (const binding of await read(session, batch)) found.set(binding.oid, binding)
      return finish(values, found, attempt)
    })
  },
}

async function openSession(datagrams: Datagrams, { options, credentials }: Definition): Promise<Session> {
  const { version, security_name: name, security_level: level, auth: hash, priv: cipher, context } = options
  const { community = '', auth_password: password = '', priv_password: privPassword = '' } = credentials
  if (version !== '3') return communitySession(datagrams, version, community)
  const priv = level === 'authPriv' ? { priv: { cipher, password: privPassword } } : {}
  const auth = level === 'noAuthNoPriv' ? {} : { auth: { hash, password, ...priv } }
  return openUserSession(datagrams, { name, context, ...auth } satisfies User)
}

/** Bytes of the values in a request, which is then at most one datagram of 1,400 bytes on any network. */
const MAX_VALUES_BYTES = 1_100

function batchesOf(values: readonly SnmpOid[]): string[][] {
  const batches: string[][] = []
  let left = 0
  for (const { oid } of values) {
    const size = sizeOf(oid)
    if (size > left) {
      batches.push([])
      left = MAX_VALUES_BYTES
    }
    left -= size
    batches.at(-1)?.push(oid)
  }
  return batches
}

const NO_VALUE = { tag: 0x81, bytes: Buffer.alloc(0) }

/** Halves what is too big for an answer. Version 1 names the first value that is absent, and the others are read without it. */
async function read(session: Session, oids: readonly string[]): Promise<readonly Binding[]> {
  if (oids.length === 0) return []
  const { errorStatus, errorIndex, bindings } = await session.get(oids)
  if (errorStatus === 0) return bindings
  const half = Math.ceil(oids.length / 2)
  if (errorStatus === ERROR_STATUS.tooBig && oids.length > 1)
    return [...(await read(session, oids.slice(0, half))), ...(await read(session, oids.slice(half)))]
  const absent = oids[errorIndex - 1]
  if (errorStatus === ERROR_STATUS.noSuchName && absent !== undefined)
    return [{ oid: absent, ...NO_VALUE }, ...(await read(session, oids.toSpliced(errorIndex - 1, 1)))]
  throw protocolFault(`the device answered with the error ${errorName(errorStatus)}`)
}

function finish(values: readonly SnmpOid[], found: ReadonlyMap<string, Binding>, { facts }: Attempt): Talked {
  const lines: string[] = []
  const missing: string[] = []
  for (const { oid, name, as } of values) {
    const binding = found.get(oid)
    if (!binding) throw malformed()
    const absence = absenceOf(binding)
    if (absence !== undefined) missing.push(`${name} (${absence})`)
    else facts.figures[name] = valueOf(binding, as)
    lines.push(`${name} = ${absence ?? facts.figures[name]}`)
  }
  facts.statusLine = lines.length === 1 ? '1 value' : `${lines.length} values`
  const error = { code: 'assertion', message: `the device does not have ${missing.join(', ')}` } as const
  return { body: lines.join('\n'), own: missing.length > 0 ? { outcome: 'down', error } : undefined }
}
