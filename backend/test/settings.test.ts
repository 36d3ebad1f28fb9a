import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BACKEND_VARIABLES } from '@vedette/shared'
import { DECLARATIONS } from '../src/operating/settings/declarations.ts'
import { effectiveSettings, parseSettings, SettingsError } from '../src/operating/settings/index.ts'
import { settingsTable } from '../src/operating/settings/table.ts'

const faultsOf = (environment: Record<string, string>): string[] => {
  try {
    parseSettings(environment, '/data')
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
  return []
}

it('the table of settings in docs/operations.md is the generated one: node scripts/settings-table.ts writes it [DOC-04]', () => {
  const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  expect(operations).toContain(`\n\n${settingsTable()}\n\n`)
  expect(operations.match(/^\| `(?:VEDETTE|DATABASE)_\w+` .*\|.*\|.*\|.*\|$/gm)).toHaveLength(Object.keys(DECLARATIONS).length)
})

describe('settings', () => {
  it('have safe defaults [LIMIT-17, START-15]', () => {
    const settings = parseSettings({ PATH: '/bin' }, '/data')
    expect([settings.databaseUrl, settings.smtpUrl]).toEqual([undefined, undefined])
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: '/data',
      localAgent: true,
      trustProxy: 0,
      tls: undefined,
      admin: undefined,
      corsOrigins: [],
      mailFrom: 'Vedette <vedette@localhost>',
      sampleIntervalSeconds: 10,
      pushIntervalSeconds: 60,
    })
  })

  it('limit authentication to 10 and reads to 100 requests per minute by default [LIMIT-01, LIMIT-02]', () =>
    expect(parseSettings({}, '/data').rateLimits).toMatchObject({ auth: 10, read: 100 }))

  it('limit writes to 30, and agents and probes to 1,000 requests per minute by default [LIMIT-03, LIMIT-04]', () =>
    expect(parseSettings({}, '/data').rateLimits).toMatchObject({ write: 30, agent: 1_000, probe: 1_000 }))

  it('are read from the environment, an empty value being none [SECRET-01, START-30, START-31]', () => {
    const settings = parseSettings(
      {
        VEDETTE_PORT: '0',
        VEDETTE_LOCAL_AGENT: 'off',
        VEDETTE_HOST: '',
        VEDETTE_TRUST_PROXY: '2',
        VEDETTE_RATE_LIMITS: 'read=5',
        VEDETTE_CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
        VEDETTE_SECRET_KEYS: `${'n'.repeat(32)}, ${'o'.repeat(40)}`,
        DATABASE_URL: 'postgres://me@db.example/vedette',
      },
      '/data',
    )
    expect(settings).toMatchObject({
      port: 0,
      localAgent: false,
      host: '127.0.0.1',
      trustProxy: 2,
      databaseUrl: 'postgres://me@db.example/vedette',
    })
    expect(settings.rateLimits).toEqual({
      auth: 10,
      read: 5,
      write: 30,
      agent: 1_000,
      probe: 1_000,
      ping: 60,
      scrape: 60,
      query: 300,
      page: 6_000,
      dashboard: 600,
      check: 6,
    })
    expect(settings.corsOrigins).toEqual(['https://app.example.com', 'http://localhost:5173'])
    expect(settings.secretKeys).toEqual(['n'.repeat(32), 'o'.repeat(40)])
    expect(parseSettings({ VEDETTE_RATE_LIMITS: 'off' }, '/data').rateLimits).toBeUndefined()
    expect(Object.isFrozen(settings)).toBe(true)
  })

  it('report all faults at once, by name, and never a value [SECRET-01, START-13, START-14]', () => {
    const faults = faultsOf({
      VEDETTE_PORT: '70000',
      VEDETTE_LOCAL_AGENT: 'maybe',
      VEDETTE_PUSH_INTERVAL_SECONDS: 'often',
      VEDETTE_SECRET_KEYS: 'hunter2',
      VEDETTE_PROT: '8080',
      VEDETTE_TLS_CERT_FILE: '/cert.pem',
      VEDETTE_ADMIN_EMAIL: 'me@example.com',
      DATABASE_URL: 'mysql://secret@db',
      VEDETTE_SMTP_URL: 'http://me:secret@db.example',
    })
    const names = [
      'VEDETTE_PORT',
      'VEDETTE_LOCAL_AGENT',
      'VEDETTE_PUSH_INTERVAL_SECONDS',
      'VEDETTE_SECRET_KEYS',
      'VEDETTE_PROT',
      'VEDETTE_TLS_KEY_FILE',
      'VEDETTE_ADMIN_PASSWORD',
      'DATABASE_URL',
      'VEDETTE_SMTP_URL',
    ]
    for (const name of names)
      expect(
        faults.filter((fault) => fault.startsWith(name)),
        name,
      ).toHaveLength(1)
    expect(faults).toHaveLength(names.length)
    expect(faults.join()).not.toMatch(/hunter2|secret@db/)
  })

  it.each([
    ['VEDETTE_PORT', '-1'],
    ['VEDETTE_PORT', '80.5'],
    ['VEDETTE_SAMPLE_INTERVAL_SECONDS', '0'],
    ['VEDETTE_SAMPLE_INTERVAL_SECONDS', '301'],
    ['VEDETTE_PUSH_INTERVAL_SECONDS', '4'],
    ['VEDETTE_PUSH_INTERVAL_SECONDS', '3601'],
    ['VEDETTE_TRUST_PROXY', '11'],
    ['VEDETTE_RATE_LIMITS', 'read=0'],
    ['VEDETTE_RATE_LIMITS', 'reads=5'],
    ['VEDETTE_RATE_LIMITS', 'read=5,write=3,read=50'],
    ['VEDETTE_PUBLIC_URL', 'ftp://example.com'],
    ['VEDETTE_PUBLIC_URL', 'https://example.com/'],
    ['VEDETTE_LOG_LEVEL', 'loud'],
    ['VEDETTE_SNS_CERTIFICATE_HOSTS', 'https://sns.eu-central-1.amazonaws.com'],
    ['VEDETTE_SNS_CERTIFICATE_HOSTS', 'sns.eu-central-1.*'],
    ['VEDETTE_SNS_CERTIFICATE_HOSTS', 'sns.eu*.amazonaws.com'],
    ['VEDETTE_INBOUND_MAIL', 'lmtp://192.0.2.1:2424'],
    ['VEDETTE_INBOUND_MAIL', 'lmtp://127.0.0.1'],
    ['VEDETTE_INBOUND_MAIL', 'smtp://127.0.0.1:25'],
    ['VEDETTE_INBOUND_MAIL', 'imap://127.0.0.1:143'],
    ['VEDETTE_ORGANIZATION', 'Acme'],
    ['VEDETTE_REGION', 'Local'],
    ['VEDETTE_REGION', 'eu-'],
    ['VEDETTE_REGION', 'x'.repeat(64)],
    ['VEDETTE_ALLOW_PRIVATE_TARGETS', 'some'],
    ['VEDETTE_ALLOW_PRIVATE_TARGETS', '10.0.0.0/33'],
    ['VEDETTE_CORS_ORIGINS', '*'],
    ['VEDETTE_CORS_ORIGINS', 'null'],
    ['VEDETTE_CORS_ORIGINS', 'app.example.com'],
    ['VEDETTE_CORS_ORIGINS', 'https://*.example.com'],
    ['VEDETTE_CORS_ORIGINS', 'https://app.example.com/'],
    ['VEDETTE_CORS_ORIGINS', 'https://app.example.com:443'],
    ['VEDETTE_CORS_ORIGINS', 'https://App.example.com'],
    ['VEDETTE_CORS_ORIGINS', 'https://me@app.example.com'],
    ['VEDETTE_CORS_ORIGINS', 'https://app.example.com,'],
    ['VEDETTE_CORS_ORIGINS', 'file:///'],
  ])('%s=%s is refused [START-27, START-28, START-30]', (name, value) => expect(faultsOf({ [name]: value })[0]).toContain(name))

  it('are known by name to the agent, which may share the shell: node scripts/settings-table.ts writes the names', () =>
    expect(BACKEND_VARIABLES).toEqual(Object.keys(DECLARATIONS).filter((name) => name.startsWith('VEDETTE_'))))

  it("leaves the agent's names alone", () => {
    expect(faultsOf({ VEDETTE_CONFIG: '/etc/vedette/agent.yaml', VEDETTE_STATE_DIR: '/x', VEDETTE_API_KEY: 'k' })).toEqual([])
  })
})

it('no part of a password in a URL is shown, whatever characters nobody escaped', () => {
  const pieces = fc.array(fc.constantFrom('@', '?', '=', '&', '/', ':', '#', '?a=', '@h?a=1'), { minLength: 1, maxLength: 4 })
  const ends = fc.constantFrom(
    'mail.example',
    'mail.example:587',
    '[::1]:465?tls=off',
    'mail.example?from=a@b.example',
    'h1,h2/db?x=1',
  )
  fc.assert(
    fc.property(pieces, ends, (separators, end) => {
      const VEDETTE_SMTP_URL = `smtp://u:hunter2${separators.map((one) => `${one}hunter2`).join('')}@${end}`
      expect(effectiveSettings({ VEDETTE_SMTP_URL }, '/data')['VEDETTE_SMTP_URL']?.value).not.toContain('hunter2')
    }),
  )
})
