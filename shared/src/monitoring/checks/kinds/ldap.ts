import { controlFaults, LOGIN, pathFaults, VERIFY_TLS } from './common.ts'
import { parseLdapFilter } from './ldap-filter.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

export { type LdapFilter, parseLdapFilter } from './ldap-filter.ts'

export const ldap = {
  label: 'LDAP',
  description: 'Logs in to a directory, and optionally searches for an entry.',
  protocols: ['ldap:', 'ldaps:'],
  example: 'ldap://directory.example.com/dc=example,dc=com',
  network: OVER_TLS,
  options: {
    starttls: { label: 'StartTLS', hint: 'a server without it is down', form: 'boolean', default: false },
    verify_tls: VERIFY_TLS,
    filter: {
      label: 'Filter',
      hint: 'as (uid=ada), searched below the path of the URL; no search without it',
      form: 'text',
      maxLength: 1_024,
      default: '',
    },
    scope: {
      label: 'Scope of the search',
      form: 'choice',
      choices: ['base', 'one', 'sub'],
      default: 'sub',
    },
    attribute: { label: 'Attribute', hint: 'whose first value is a fact', form: 'text', maxLength: 128, default: '' },
  },
  credentials: { username: { ...LOGIN.username, hint: 'a DN, as cn=monitor,dc=example,dc=com' }, password: LOGIN.password },
  observes: ['certificate'],
  facts: {
    entry: {
      label: 'Entry',
      operators: ['equals', 'not_equals', 'contains', 'not_contains', 'exists', 'not_exists'],
      valueKinds: ['string'],
    },
    attribute: {
      label: 'Attribute',
      operators: ['equals', 'not_equals', 'less_than', 'greater_than', 'contains', 'not_contains', 'exists', 'not_exists'],
      valueKinds: ['number', 'string'],
    },
  },
  faults: ({ url, options, credentials }) => {
    const filter = String(options['filter'])
    const parsed = filter === '' ? undefined : parseLdapFilter(filter)
    return [
      ...pathFaults(url, 1),
      ...(parsed !== undefined && 'fault' in parsed ? [{ path: 'options.filter', message: parsed.fault }] : []),
      ...(/^(?:[a-zA-Z][a-zA-Z0-9-]*|\d+(?:\.\d+)+)?$/.test(String(options['attribute']))
        ? []
        : [{ path: 'options.attribute', message: 'must be one name of letters, digits and dashes, or an OID' }]),
      ...(options['attribute'] !== '' && filter === ''
        ? [{ path: 'options.filter', message: 'is needed with an attribute' }]
        : []),
      ...(url.protocol === 'ldaps:' && options['starttls'] === true
        ? [{ path: 'options.starttls', message: 'must be off with ldaps://, which begins with TLS' }]
        : []),
      ...((credentials['username'] ?? '') !== '' && (credentials['password'] ?? '') === ''
        ? [{ path: 'credentials.password', message: 'is needed with a user name' }]
        : (credentials['username'] ?? '') === '' && (credentials['password'] ?? '') !== ''
          ? [{ path: 'credentials.username', message: 'is needed: a login has a user name and a password' }]
          : []),
      ...controlFaults(credentials),
    ]
  },
} as const satisfies CheckKindSpec
