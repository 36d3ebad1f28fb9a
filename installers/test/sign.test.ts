import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Artefact, writeReleaseKeys } from '../build/manifest.ts'
import { publish } from '../build/release.ts'
import { signAgain } from '../build/sign-again.ts'

const NOW = Date.parse('2026-11-21T22:00:00Z')
const { privateKey } = generateKeyPairSync('ed25519')
const next = generateKeyPairSync('ed25519')

let folder = ''
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signed-'))
  writeFileSync(join(folder, 'agent.deb'), 'agent!')
  writeFileSync(join(folder, 'release-keys.pem'), writeReleaseKeys([createPublicKey(privateKey), next.publicKey]))
  const sha256 = createHash('sha256').update('agent!').digest('hex')
  const artefact: Artefact = {
    name: 'agent.deb',
    program: 'vedette-agent',
    kind: 'deb',
    os: 'linux',
    arch: 'x64',
    size: 6,
    sha256,
  }
  const dates = { publishedAt: new Date(NOW - 90 * 86_400_000), expiresAt: new Date(NOW) }
  await publish(folder, { version: '1.2.3', sequence: 7, stagedPercent: 5, ...dates }, [artefact], privateKey)
})
afterEach(() => rmSync(folder, { recursive: true }))

const manifest = () => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, unknown>
const read = (name: string) => readFileSync(join(folder, name))
const isSignedBy = (key: KeyObject) => verify(null, read('manifest.json'), createPublicKey(key), read('manifest.json.sig'))
const isListed = () => String(read('SHA256SUMS')).includes(createHash('sha256').update(read('manifest.json')).digest('hex'))

test('an expired manifest is signed again for more hosts, with the same artefacts and a higher sequence', async () => {
  const before = manifest()
  await signAgain(folder, privateKey, { stagedPercent: 25, expiresDays: 30 }, NOW)
  expect([isSignedBy(privateKey), isListed()]).toEqual([true, true])
  expect(manifest()).toEqual({
    ...before,
    sequence: 8,
    staged_percent: 25,
    published_at: '2026-11-21T22:00:00Z',
    expires_at: '2026-12-21T22:00:00Z',
  })
})

test('the next key can sign as well, and unspecified fields stay', async () => {
  await signAgain(folder, next.privateKey, { expiresDays: 30 }, NOW)
  expect([isSignedBy(next.privateKey), manifest()['staged_percent']]).toEqual([true, 5])
})

test('modified artefacts, an untrusted key and a used sequence are refused', async () => {
  const bytes = readFileSync(join(folder, 'manifest.json'))
  const changes = { stagedPercent: 100, expiresDays: 30 }
  const other = generateKeyPairSync('ed25519').privateKey
  await expect(signAgain(folder, other, changes, NOW)).rejects.toThrow('does not have this key')
  await expect(signAgain(folder, privateKey, { ...changes, sequence: 7 }, NOW)).rejects.toThrow('must be above 7')
  appendFileSync(join(folder, 'agent.deb'), '!')
  await expect(signAgain(folder, privateKey, changes, NOW)).rejects.toThrow('agent.deb is not what the manifest says')
  writeFileSync(join(folder, 'agent.deb'), 'agent!')
  expect(readFileSync(join(folder, 'manifest.json'))).toEqual(bytes)
  writeFileSync(join(folder, 'manifest.json'), String(bytes).replace('1.2.3', '1.2.4'))
  await expect(signAgain(folder, privateKey, changes, NOW)).rejects.toThrow('none of the keys in release-keys.pem')
})

test('the command prints what it signed, and refuses an invalid percentage', () => {
  const key = join(folder, '..', `${folder.split('/').at(-1)}.pem`)
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const sign = (...args: string[]) => {
    const command = [join(import.meta.dirname, '../build/main.ts'), '--sign-again', '--out', folder, '--key-file', key, ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  expect(sign('--staged-percent', '101')).toEqual({
    status: 1,
    stdout: '',
    stderr: '--staged-percent must be a whole number up to 100\n',
  })
  expect(sign('--staged-percent', '50')).toMatchObject({ status: 0, stderr: expect.stringContaining('sequence 8: for 50 %') })
  rmSync(key)
})
