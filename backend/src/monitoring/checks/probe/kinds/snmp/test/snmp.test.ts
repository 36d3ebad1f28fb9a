import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { SnmpOid } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { makeServerFolder, type Server, startServer } from '../../../test/servers.ts'

const AUTHS = { md5: 'MD5', sha: 'SHA', sha224: 'SHA-224', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' }
const PRIVS = { des: 'DES', aes128: 'AES', aes256: 'AES-256', aes256c: 'AES-256-C' }
const AUTH_PASSWORD = 'auth-of-tests'
const PRIV_PASSWORD = 'priv-of-tests'
const NAME = { oid: '1.3.6.1.2.1.1.5.0', name: 'device' } as const

const users = Object.entries(AUTHS).flatMap(([auth, authName]) => [
  { auth, priv: undefined, line: `createUser ${auth} ${authName} ${AUTH_PASSWORD}` },
  ...Object.entries(PRIVS).map(([priv, privName]) => ({
    auth,
    priv,
    line: `createUser ${auth}${priv} ${authName} ${AUTH_PASSWORD} ${privName} ${PRIV_PASSWORD}`,
  })),
])

describe.skipIf(isMissing('snmpd'))('a check of SNMP', () => {
  let server: Server
  let port: number
  let prober: Prober

  async function start(): Promise<void> {
    const folder = makeServerFolder()
    const settings = [
      `[snmp] persistentDir ${folder}`,
      // The port of TCP shows when it is ready.
      `agentaddress udp:127.0.0.1:${port},tcp:127.0.0.1:${port}`,
      'rocommunity of-community 127.0.0.1',
      'sysName switch-of-tests',
      'sysObjectID .1.3.6.1.4.1.8072.3.2.10',
      `extend-sh figure "echo 42"`,
      ...users.flatMap(({ auth, priv, line }) => [line, `rouser ${auth}${priv ?? ''} ${priv === undefined ? 'auth' : 'priv'}`]),
      'createUser open MD5 unused-by-tests',
      'rouser open noauth',
    ]
    const files = makeServerFolder({ 'snmpd.conf': settings.join('\n') }, undefined, folder)
    server = await startServer(['snmpd', '-f', '-Lo', '-C', '-c', `${files}/snmpd.conf`], { folder, port })
  }
  beforeAll(async () => {
    port = await freePort()
    await start()
    prober = createProber({ allowPrivateTargets: 'all' })
  })
  afterAll(async () => {
    prober.close()
    await server.stop()
  })

  const check = (options: KindCheck['options'], credentials: Record<string, string>, more: KindCheck = {}) =>
    checkKind(prober, 'snmp', `snmp://127.0.0.1:${port}`, { options: options ?? {}, credentials, ...more })
  const byCommunity = (oids: readonly SnmpOid[], more: KindCheck = {}, version = '2c') =>
    check({ version, oids }, { community: 'of-community' }, more)
  const byUser = (options: object, credentials = {}) =>
    check(
      { version: '3', oids: [NAME], ...options },
      { auth_password: AUTH_PASSWORD, priv_password: PRIV_PASSWORD, ...credentials },
      { timeout: 1 },
    )

  test.each(users)('reads as a user with $auth and $priv', async ({ auth, priv }) => {
    const level = priv === undefined ? { security_level: 'authNoPriv' } : { security_level: 'authPriv', priv }
    expect(await byUser({ ...level, auth, security_name: `${auth}${priv ?? ''}` })).toMatchObject({
      outcome: 'up',
      error: null,
      facts: { device: 'switch-of-tests' },
      connect_ms: null,
      transfer_ms: expect.any(Number),
    })
  })

  test('reads as a user without authentication', async () => {
    const result = await byUser({ security_level: 'noAuthNoPriv', security_name: 'open' })
    expect(result).toMatchObject({ outcome: 'up', facts: { device: 'switch-of-tests' } })
  })

  test.each([
    ['a wrong password', { auth: 'sha256' }, { auth_password: 'wrong-password' }, /refused the login .*\(wrongDigest\)$/],
    ['a wrong key', { auth: 'sha256' }, { priv_password: 'wrong-password' }, /\(decryptionError\)$|^no answer within/],
    ['an unknown user', { auth: 'sha256', security_name: 'nobody' }, {}, /\(unknownUserName\)$/],
    ['less encryption than it has', { auth: 'sha256', security_name: 'sha256' }, {}, /does not support this security level/],
    ['another hash', { auth: 'sha' }, {}, /\(wrongDigest\)$/],
  ])('is down with %s', async (_, options, credentials, message) => {
    const result = await byUser({ security_name: 'sha256aes128', ...options }, credentials)
    expect(result).toMatchObject({ outcome: 'down', error: { message: expect.stringMatching(message) } })
  })

  test.each(['1', '2c'])('reads the values of version %s in the forms that are wanted', async (version) => {
    const oids: SnmpOid[] = [
      NAME,
      { oid: '1.3.6.1.2.1.1.2.0', name: 'object' },
      { oid: '1.3.6.1.2.1.1.3.0', name: 'ticks' },
      { oid: '1.3.6.1.2.1.1.3.0', name: 'uptime', as: 'timeticks' },
      { oid: '1.3.6.1.2.1.2.2.1.2.1', name: 'interface', as: 'text' },
      { oid: '1.3.6.1.2.1.2.2.1.10.1', name: 'octets', as: 'number' },
      { oid: '1.3.6.1.2.1.2.2.1.5.1', name: 'speed' },
      { oid: '1.3.6.1.4.1.8072.1.3.2.3.1.1.6.102.105.103.117.114.101', name: 'figure', as: 'number' },
    ]
    const { outcome, facts, error } = await byCommunity(oids, {}, version)
    expect([outcome, error]).toEqual(['up', null])
    expect(facts).toEqual({
      device: 'switch-of-tests',
      object: '1.3.6.1.4.1.8072.3.2.10',
      ticks: expect.any(Number),
      uptime: expect.any(Number),
      interface: 'lo',
      octets: expect.any(Number),
      speed: 10_000_000,
      figure: 42,
    })
    expect(facts['uptime']).toBe((facts['ticks'] as number) / 100)
  })

  test('reads the time since the start without any value', async () => {
    const { facts, response_ms } = await check({}, { community: 'of-community' })
    expect(facts).toEqual({ uptime: expect.any(Number) })
    expect(response_ms).toBeGreaterThan(0)
  })

  test('reads 20 values with long names in several datagrams', async () => {
    const long = `1.3.6.1.4.1.8072${'.4294967295'.repeat(100)}`
    const oids = Array.from({ length: 20 }, (_, index) => ({ oid: index < 3 ? `${long}.${index}` : NAME.oid, name: `v${index}` }))
    expect(await byCommunity(oids)).toMatchObject({ outcome: 'down', facts: { v3: 'switch-of-tests', v19: 'switch-of-tests' } })
  })

  test.each(['1', '2c'])('is down where version %s has no such value, and names it', async (version) => {
    const absent = { oid: '1.3.6.1.2.1.1.99.0', name: 'absent' }
    expect(await byCommunity([absent, NAME], {}, version)).toMatchObject({
      outcome: 'down',
      error: {
        code: 'assertion',
        message: expect.stringMatching(/^the device does not have absent \(noSuch(?:Instance|Object)\)$/),
      },
      facts: { device: 'switch-of-tests' },
      answer: { body: expect.stringMatching(/^absent = noSuch\w+\ndevice = switch-of-tests$/) },
    })
  })

  test.each([
    [{ operator: 'equals', value: 'switch-of-tests' }, null],
    [{ operator: 'equals', value: 'router' }, 'value device is "switch-of-tests" (expected "router")'],
    [{ operator: 'matches', value: '^switch-' }, null],
    [{ operator: 'matches', value: '^router-' }, 'value device is "switch-of-tests" (expected to match "^router-")'],
    [{ operator: 'contains', value: 'of' }, null],
    [{ operator: 'exists' }, null],
    [{ operator: 'exists', property: 'other' }, 'value other unknown (expected to exist)'],
    [{ operator: 'greater_than', value: 5 }, 'value device is "switch-of-tests" (expected above 5)'],
  ])('compares a value by %j', async (assertion, message) => {
    const one = { type: 'snmp_value', property: 'device', ...assertion } as NonNullable<KindCheck['assertions']>[number]
    const { outcome, error } = await byCommunity([NAME], { assertions: [one] })
    expect([outcome, error?.message ?? null]).toEqual([message === null ? 'up' : 'down', message])
  })

  test('is down after one retry with another community, which no device answers', async () => {
    expect(await check({ oids: [NAME] }, { community: 'wrong' }, { timeout: 1 })).toMatchObject({
      outcome: 'down',
      error: { code: 'timeout' },
    })
  })

  test('sends one datagram and one retry to a device that never answers', async () => {
    const silent = createSocket('udp4')
    let received = 0
    silent.on('message', () => (received += 1))
    silent.bind(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `snmp://127.0.0.1:${silent.address().port}`
    await checkKind(prober, 'snmp', url, { options: { version: '3', security_name: 'a' }, timeout: 1 })
    silent.close()
    expect(received).toBe(2)
  })

  test('finds the engine of each check again, also after its start', async () => {
    const options = { auth: 'sha256', security_name: 'sha256aes128' }
    expect(await byUser(options)).toMatchObject({ outcome: 'up' })
    await server.stop()
    await start()
    expect(await byUser(options)).toMatchObject({ outcome: 'up' })
  })
})

const user = { version: '3', security_name: 'ada' }
const passwords = { auth_password: '12345678', priv_password: '12345678' }
test.each([
  [{}, { community: 'public' }, []],
  [{}, {}, ['credentials.community']],
  [user, passwords, []],
  [{ version: '3' }, passwords, ['options.security_name']],
  [user, {}, ['credentials.auth_password', 'credentials.priv_password']],
  [user, { ...passwords, priv_password: '1234567' }, ['credentials.priv_password']],
  [{ ...user, security_level: 'authNoPriv' }, { auth_password: '12345678' }, []],
  [{ ...user, security_level: 'noAuthNoPriv' }, {}, []],
  [{ oids: 'no' }, { community: 'a' }, ['options.oids']],
  [{ oids: Array.from({ length: 21 }, (_, at) => ({ oid: '1.3', name: `v${at}` })) }, { community: 'a' }, ['options.oids']],
  [{ oids: ['1.3'] }, { community: 'a' }, ['options.oids.0']],
  [{ oids: [{ oid: '.1.3', name: 'A' }] }, { community: 'a' }, ['options.oids.0.oid', 'options.oids.0.name']],
  [{ oids: [{ oid: '1.40', name: 'a' }] }, { community: 'a' }, ['options.oids.0.oid']],
  [{ oids: [{ oid: '1.3.4294967296', name: 'a' }] }, { community: 'a' }, ['options.oids.0.oid']],
  [{ oids: [NAME, NAME] }, { community: 'a' }, ['options.oids.1.name']],
  [{ oids: [{ ...NAME, as: 'hex' }] }, { community: 'a' }, ['options.oids.0.as']],
  [{ oids: [{ ...NAME, more: 1 }] }, { community: 'a' }, ['options.oids.0']],
])('the options %j with the credentials %j have faults at %j', (options, credentials, paths) => {
  const faults = faultsOf('snmp', 'snmp://switch.test', { options, credentials })
  expect(faults).toEqual(paths.map((fault) => expect.stringMatching(`^${fault}: `)))
})
