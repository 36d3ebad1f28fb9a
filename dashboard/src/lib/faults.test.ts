import { beforeAll, describe, expect, it } from 'vitest'
import { BODIES, type BodyName } from './bodies.ts'
import { findFaults, loadBody } from './faults.ts'

beforeAll(() => Promise.all((Object.keys(BODIES) as BodyName[]).map(loadBody)))

const faultsOf = (...[name, body]: Parameters<typeof findFaults>) =>
  Object.fromEntries(findFaults(name, body).map(({ path, message }) => [path, message]))

describe('the faults of a body', () => {
  const monitor = { name: 'Shop', url: 'https://shop.example.com/', interval: 60, timeout: 10 }
  it('are none where the schema allows it', () => expect(findFaults('CreateMonitorBody', monitor)).toEqual([]))

  it('are all found at once, with the paths of the API and in plain words', () =>
    expect(faultsOf('CreateMonitorBody', { ...monitor, name: '', interval: 5, timeout: 61, confirmations: 'two' })).toEqual({
      name: 'Fill this in.',
      interval: 'Enter 10 s or more.',
      timeout: 'Enter 1 min or less.',
      confirmations: 'Enter a number.',
    }))

  it('name what is missing', () => {
    expect(faultsOf('CreateMonitorBody', {})).toMatchObject({ name: 'Fill this in.' })
    expect(faultsOf('CreateMaintenanceWindowBody', { name: 'Night', target: { type: 'server' } })).toEqual({
      starts_at: 'Fill this in.',
      ends_at: 'Fill this in.',
    })
  })

  it('within a list have its index', () => {
    const assertions = [{ type: 'status_code', operator: 'equals', value: 200 }, { type: 'status_code' }]
    expect(Object.keys(faultsOf('CreateMonitorBody', { ...monitor, assertions }))).toEqual(['assertions.1.operator'])
  })

  it.each([
    ['CreateApiKeyBody', { name: ' ', scopes: ['read'] }, 'name'],
    ['CreateApiKeyBody', { name: 'a', scopes: [] }, 'scopes'],
    [
      'CreateApiKeyBody',
      { name: 'a', scopes: ['read'], allowed_cidrs: Array.from({ length: 21 }, () => '::1') },
      'allowed_cidrs',
    ],
    ['InviteBody', { email: '', role: 'viewer' }, 'email'],
    ['InviteBody', { email: 'ada@example.com', role: 'king' }, 'role'],
    ['PatchOrganizationBody', { api_key_max_days: 0 }, 'api_key_max_days'],
    ['PatchOrganizationBody', { api_key_max_days: 1.5 }, 'api_key_max_days'],
    ['PatchServerBody', { display_name: 'a'.repeat(256) }, 'display_name'],
    ['ChangePasswordBody', { current_password: 'a', new_password: 'short' }, 'new_password'],
    ['CreateChannelBody', { name: 'a', type: 'pigeon', config: {} }, 'type'],
    [
      'CreateAlertRuleBody',
      { name: 'a', target: { type: 'server' }, condition: { operator: 'equals', value: 1 } },
      'condition.metric',
    ],
  ] as const)('of %s %j are named', (name, body, path) => expect(Object.keys(faultsOf(name, body))).toContain(path))

  it('are texts that a person understands, whatever the schema says', () => {
    const texts = [
      ...Object.values(faultsOf('CreateMonitorBody', { name: 7, url: [], interval: 'x', regions: 'y', tags: ['a'.repeat(65)] })),
      ...Object.values(faultsOf('CreateAlertRuleBody', { name: {}, for_seconds: -1, severity: 'fatal', channel_ids: 7 })),
    ]
    expect(texts.length).toBeGreaterThan(6)
    for (const text of texts) expect(text).toMatch(/^[A-Z][^{}[\]$]*\.$/)
  })
})
