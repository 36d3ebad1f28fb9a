import type { ErrorDetail } from '../../../wire/errors.ts'
import { MASK } from '../../../wire/mask.ts'
import { pathFaults } from './common.ts'
import type { CheckKindSpec, KindInput } from './kind.ts'
import { OID_LINES, oidFaults } from './snmp-oids.ts'
import { BY_DATAGRAMS } from '../network-use.ts'

export { MAX_SNMP_OIDS, type SnmpOid, snmpOidsIn, SNMP_VALUE_FORMS } from './snmp-oids.ts'

/** RFC 3414, section 11.2. */
const MIN_PASSWORD_LENGTH = 8

export const snmp = {
  label: 'SNMP',
  description: 'Reads values of a router, switch, printer, NAS or UPS by SNMP.',
  protocols: ['snmp:'],
  example: 'snmp://switch.example.com',
  network: BY_DATAGRAMS,
  options: {
    version: {
      label: 'Version',
      hint: 'only version 3 proves who answers and hides what is read',
      form: 'choice',
      choices: ['1', '2c', '3'],
      default: '2c',
    },
    oids: {
      label: 'Values',
      hint: 'one a line: OID, name, and number, text, timeticks or mac if needed; the time since the start without any',
      form: 'own',
      lines: OID_LINES,
    },
    security_name: { label: 'User name', hint: 'of version 3', form: 'text', maxLength: 32, default: '' },
    security_level: {
      label: 'Security level',
      hint: 'of version 3',
      form: 'choice',
      choices: ['noAuthNoPriv', 'authNoPriv', 'authPriv'],
      default: 'authPriv',
    },
    auth: {
      label: 'Authentication',
      hint: 'of version 3',
      form: 'choice',
      choices: ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'],
      default: 'sha256',
    },
    priv: {
      label: 'Encryption',
      hint: 'of version 3; aes256c is the key extension of Cisco',
      form: 'choice',
      choices: ['des', 'aes128', 'aes256', 'aes256c'],
      default: 'aes128',
    },
    context: { label: 'Context', hint: 'of version 3', form: 'text', maxLength: 255, default: '' },
    retries: {
      label: 'Retries',
      hint: 'of a request without an answer',
      form: 'number',
      minimum: 0,
      maximum: 3,
      default: 1,
    },
  },
  credentials: {
    community: { label: 'Community', hint: 'of versions 1 and 2c', maxLength: 255 },
    auth_password: { label: 'Password of the authentication', hint: 'of version 3, 8 characters or more', maxLength: 1_024 },
    priv_password: { label: 'Password of the encryption', hint: 'of version 3, 8 characters or more', maxLength: 1_024 },
  },
  observes: ['text'],
  facts: {
    snmp_value: {
      label: 'Value',
      operators: ['equals', 'not_equals', 'less_than', 'greater_than', 'contains', 'matches', 'exists'],
      valueKinds: ['number', 'string'],
      property: { description: 'the name of a value', example: 'uptime' },
    },
  },
  faults: (definition) => [
    ...pathFaults(definition.url),
    ...oidFaults(definition.options['oids']),
    ...(definition.options['version'] === '3' ? userFaults(definition) : communityFaults(definition)),
  ],
} as const satisfies CheckKindSpec

const communityFaults = ({ credentials }: KindInput): ErrorDetail[] =>
  (credentials['community'] ?? '') === '' ? [{ path: 'credentials.community', message: 'is needed with versions 1 and 2c' }] : []

function userFaults({ options, credentials }: KindInput): ErrorDetail[] {
  const level = options['security_level']
  const names = [...(level === 'noAuthNoPriv' ? [] : ['auth_password']), ...(level === 'authPriv' ? ['priv_password'] : [])]
  const user = options['security_name'] === '' ? [{ path: 'options.security_name', message: 'is needed with version 3' }] : []
  return [
    ...user,
    ...names.flatMap((name) => {
      const value = credentials[name] ?? ''
      return value === MASK || value.length >= MIN_PASSWORD_LENGTH
        ? []
        : [
            {
              path: `credentials.${name}`,
              message: `must have at least ${MIN_PASSWORD_LENGTH} characters at this security level`,
            },
          ]
    }),
  ]
}
