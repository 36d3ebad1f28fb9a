import type { ErrorDetail } from '../../../wire/errors.ts'
import type { LinesForm } from './kind.ts'

export const MAX_SNMP_OIDS = 20
/** How a value is shown: as the device sends it without one. */
export const SNMP_VALUE_FORMS = ['number', 'text', 'timeticks', 'mac'] as const

/** One value that a check reads. */
export interface SnmpOid {
  /** Numbers between dots, without a dot in front. */
  oid: string
  /** The name of the fact. */
  name: string
  /** `timeticks`: hundredths of a second, shown as seconds. `mac`: six bytes as `00:1b:21:…`. */
  as?: (typeof SNMP_VALUE_FORMS)[number]
}

/** `sysUpTime.0` of RFC 3418, which every agent has. */
const UPTIME: SnmpOid = { oid: '1.3.6.1.2.1.1.3.0', name: 'uptime', as: 'timeticks' }

/** The values of valid options; the time since the start without any. Pure. */
export const snmpOidsIn = ({ oids }: { readonly oids?: unknown }): readonly SnmpOid[] =>
  Array.isArray(oids) && oids.length > 0 ? (oids as SnmpOid[]) : [UPTIME]

/** X.660: the first number is 0 to 2, the second one of 0 and 1 below 40. RFC 2578: at most 128 numbers below 2^32. */
const OID = /^(?:[01]\.(?:[0-9]|[1-3][0-9])|2\.\d{1,10})(?:\.\d{1,10}){0,126}$/
const NAME = /^[a-z][a-z0-9_]{0,31}$/
const FIELDS: ReadonlySet<string> = new Set(['oid', 'name', 'as'])

export function oidFaults(list: unknown): ErrorDetail[] {
  if (list === undefined) return []
  if (!Array.isArray(list) || list.length > MAX_SNMP_OIDS)
    return [{ path: 'options.oids', message: `must be a list of at most ${MAX_SNMP_OIDS} values` }]
  const names = list.map((one) => (one as Partial<SnmpOid> | null)?.name)
  return list.flatMap((one: unknown, index) =>
    oneFaults(one, names.indexOf(names[index]) < index).map(({ path, message }) => ({
      path: `options.oids.${index}${path}`,
      message,
    })),
  )
}

function oneFaults(one: unknown, isRepeated: boolean): ErrorDetail[] {
  if (typeof one !== 'object' || one === null || !Object.keys(one).every((field) => FIELDS.has(field)))
    return [{ path: '', message: 'must have an oid, a name, and as if needed' }]
  const { oid, name, as } = one as Record<string, unknown>
  const isOid = typeof oid === 'string' && OID.test(oid) && oid.split('.').every((part) => Number(part) < 2 ** 32)
  const isName = typeof name === 'string' && NAME.test(name)
  return [
    ...(isOid ? [] : [{ path: '.oid', message: 'must be numbers below 4294967296 between dots, such as 1.3.6.1.2.1.1.3.0' }]),
    ...(isName ? [] : [{ path: '.name', message: 'must have 1 to 32 characters: small letters, digits and _, a letter first' }]),
    ...(isName && isRepeated ? [{ path: '.name', message: 'must not be repeated' }] : []),
    ...(as === undefined || (SNMP_VALUE_FORMS as readonly unknown[]).includes(as)
      ? []
      : [{ path: '.as', message: `must be one of ${SNMP_VALUE_FORMS.join(', ')}` }]),
  ]
}

/** `1.3.6.1.2.1.1.3.0 uptime timeticks` */
export const OID_LINES: LinesForm = {
  toLines: (value) =>
    Array.isArray(value)
      ? (value as SnmpOid[]).map(({ oid, name, as }) => [oid, name, ...(as === undefined ? [] : [as])].join(' '))
      : [],
  toValue: (lines) =>
    lines.map((line) => {
      const [oid = '', name = '', as, ...more] = line.trim().replace(/^\./, '').split(/\s+/)
      return { oid, name, ...(as !== undefined && { as: [as, ...more].join(' ') }) }
    }),
}
