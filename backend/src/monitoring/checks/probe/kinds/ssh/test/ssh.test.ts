import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { startTarget, type Target } from '../../../test/targets.ts'
import { type Sshd, startSshd } from './sshd.ts'

let prober: Prober
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterAll(() => prober.close())

const check = (port: number, more: KindCheck = {}) => checkKind(prober, 'ssh', `ssh://127.0.0.1:${port}`, more)

describe.skipIf(isMissing('sshd', 'ssh-keygen'))('a check of SSH', () => {
  let server: Sshd
  beforeAll(async () => {
    server = await startSshd({ ed25519: 256, ecdsa: 256, rsa: 2_048 })
  })
  afterAll(() => server.stop())

  test('reads version and host key, and its phases are its response time', async () => {
    const result = await check(server.port)
    expect(result).toMatchObject({
      outcome: 'up',
      error: null,
      address: '127.0.0.1',
      facts: {
        software: expect.stringMatching(/^OpenSSH_/),
        fingerprint: server.fingerprints['ed25519'],
        host_key_type: 'ssh-ed25519',
      },
    })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test.each([
    ['ed25519', 'ssh-ed25519'],
    ['ecdsa', 'ecdsa-sha2-nistp256'],
    ['rsa', 'ssh-rsa'],
  ] as const)('reads the host key of type %s', async (host_key, host_key_type) => {
    expect(await check(server.port, { options: { host_key } })).toMatchObject({
      outcome: 'up',
      facts: { fingerprint: server.fingerprints[host_key], host_key_type },
    })
  })

  test('an assertion on the fingerprint decides', async () => {
    const wanted = (value: string) => ({ assertions: [{ type: 'fingerprint', operator: 'equals', value }] as never })
    expect(await check(server.port, wanted(server.fingerprints['ed25519'] ?? ''))).toMatchObject({ outcome: 'up' })
    expect(await check(server.port, wanted(server.fingerprints['rsa'] ?? ''))).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion', message: expect.stringContaining('SHA256:') },
    })
  })

  test('says goodbye to the server', async () => {
    await check(server.port)
    await expect.poll(() => server.output()).toContain('checked by Vedette')
  })
})

describe.skipIf(isMissing('sshd', 'ssh-keygen'))('a server with one key exchange', () => {
  test.each(['curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'diffie-hellman-group14-sha256'])('%s', async (method) => {
    const server = await startSshd(undefined, `KexAlgorithms ${method}`)
    // The length of an mpint depends on the value, which differs by check.
    for (let tries = 0; tries < 20; tries += 1)
      expect(await check(server.port)).toMatchObject({ outcome: 'up', facts: { fingerprint: server.fingerprints['ed25519'] } })
    await server.stop()
  })

  test('that the probe does not have', async () => {
    const server = await startSshd(undefined, 'KexAlgorithms diffie-hellman-group16-sha512')
    expect((await check(server.port)).error?.message).toBe(
      'the server has no key exchange that the probe has: diffie-hellman-group16-sha512, kex-strict-s-v00@openssh.com',
    )
    await server.stop()
  })

  test.each([384, 521])('and an ECDSA key of %i bits', async (bits) => {
    const server = await startSshd({ ecdsa: bits })
    expect(await check(server.port)).toMatchObject({
      outcome: 'up',
      facts: { fingerprint: server.fingerprints['ecdsa'], host_key_type: `ecdsa-sha2-nistp${bits}` },
    })
    expect((await check(server.port, { options: { host_key: 'ed25519' } })).error?.message).toBe(
      `the server has no such host key, but ecdsa-sha2-nistp${bits}`,
    )
    await server.stop()
  })

  test('that was recorded proves nothing: a host key is public', async () => {
    const server = await startSshd()
    let recorded = Buffer.alloc(0)
    const proxy = await startTarget((socket) => {
      const upstream = connect(server.port, '127.0.0.1')
      upstream.on('data', (bytes: Buffer) => {
        recorded = Buffer.concat([recorded, bytes])
        socket.write(bytes)
      })
      socket.on('data', (bytes: Buffer) => void upstream.write(bytes))
      socket.on('close', () => upstream.destroy())
    })
    expect(await check(proxy.port)).toMatchObject({ outcome: 'up' })
    const replay = await startTarget((socket) => void socket.write(recorded))
    expect(await check(replay.port)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: 'the server could not prove that the host key is its own' },
      facts: { software: expect.any(String) },
    })
    await Promise.all([proxy.close(), replay.close(), server.stop()])
  })
})

describe('a target that is no such server', () => {
  const targets: Target[] = []
  const answering = async (text: string | Buffer) => {
    const target = await startTarget((socket) => void socket.write(text))
    targets.push(target)
    const { outcome, error } = await check(target.port, { timeout: 2 })
    return [outcome, error?.code, error?.message]
  }
  afterAll(() => Promise.all(targets.map((target) => target.close())))

  test.each([
    ['SSH-1.5-Old\r\n', 'the server speaks another version of SSH: SSH-1.5-Old'],
    ['line\r\n'.repeat(60), 'the target does not speak the protocol of SSH'],
    ['SSH-2.0-X\r\nnothing of the kind', 'the target does not speak the protocol of SSH'],
    ['SSH-2.0-X\r\n\0\0\0\x0c\x0a\x14'.padEnd(40, '\0'), 'the target sent a message that is cut short'],
    [
      Buffer.concat([
        Buffer.from('hello\r\nSSH-1.99-X\r\n'),
        Buffer.from('0000001c0401000000020000000d746f6f206d616e79000000', 'hex'),
        Buffer.alloc(20),
      ]),
      'the server ended the connection: too many (2)',
    ],
  ])('%j is down with %s', async (text, message) => {
    expect(await answering(text)).toEqual(['down', 'protocol', message])
  })
})

test.each([
  ['ssh://host.test', {}, []],
  ['ssh://host.test:2222', { host_key: 'rsa' }, []],
  ['ssh://host.test/path', {}, ['url']],
  ['ssh://host.test', { host_key: 'dsa' }, ['options.host_key']],
])('the URL %s with the options %j has faults at %j', (url, options, paths) => {
  expect(faultsOf('ssh', url, { options })).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
