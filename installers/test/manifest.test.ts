import { spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { type Artefact, readSigningKey, signManifest, writeManifest, writeReleaseKeys } from '../build/manifest.ts'

const head = {
  version: '1.2.3',
  sequence: 7,
  publishedAt: new Date('2026-11-21T22:00:00.000Z'),
  expiresAt: new Date('2027-02-19T22:00:00.000Z'),
  stagedPercent: 25,
}
const artefact = (name: string, arch: Artefact['arch']): Artefact => {
  return { name, program: 'vedette-agent', kind: 'archive', os: 'linux', arch, size: 12, sha256: 'ab'.repeat(32) }
}
const manifest = writeManifest(head, [artefact('b.tar.gz', 'x64'), artefact('a.tar.gz', 'arm64')])

describe('a manifest', () => {
  test('is JSON with the artefacts sorted by name', () => {
    expect(JSON.parse(manifest)).toEqual({
      format: 'vedette-release-1',
      version: '1.2.3',
      sequence: 7,
      published_at: '2026-11-21T22:00:00Z',
      expires_at: '2027-02-19T22:00:00Z',
      staged_percent: 25,
      artefacts: [artefact('a.tar.gz', 'arm64'), artefact('b.tar.gz', 'x64')],
    })
  })

  test('can be read with the command of docs/releases.md', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../docs/releases.md'), 'utf8')
    const command = /^sed -n .* manifest\.json$/m.exec(docs)?.[0] ?? ''
    const { stdout } = spawnSync('sh', ['-c', command.replace('manifest.json', '')], { input: manifest, encoding: 'utf8' })
    expect(stdout).toBe(`b.tar.gz 12 ${'ab'.repeat(32)}\n`)
  })

  test('rejects a file name with a path', () => {
    expect(() => writeManifest(head, [artefact('../a', 'x64')])).toThrow('is no valid name')
  })
})

describe('its signature', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { raw, ssh } = signManifest(manifest, privateKey)
  const keys = writeReleaseKeys([publicKey, generateKeyPairSync('ed25519').publicKey])
  let folder = ''
  const path = (name: string) => join(folder, name)
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'manifest-'))
    writeFileSync(path('manifest.json'), manifest)
    writeFileSync(path('manifest.json.sig'), raw)
    writeFileSync(path('manifest.json.sshsig'), ssh)
    writeFileSync(path('key.pem'), keys.slice(0, keys.indexOf('# ssh-', 1)))
    writeFileSync(
      path('allowed_signers'),
      keys.replaceAll(/^# (ssh-ed25519 \S+)$/gm, 'release $1').replaceAll(/^-[^]*?^-.*$/gm, ''),
    )
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is valid for the first key of release-keys.pem and for no other text', () => {
    expect(raw).toHaveLength(64)
    expect(verify(null, Buffer.from(manifest), createPublicKey(keys), raw)).toBe(true)
    expect(verify(null, Buffer.from(`${manifest} `), createPublicKey(keys), raw)).toBe(false)
  })

  /** The command that docs/releases.md names, on the manifest as it is and as somebody changed it. */
  function runTool(program: string, args: string[]) {
    const statusOf = (text: string) => {
      writeFileSync(path('manifest.json'), text)
      return spawnSync(program, args, { cwd: folder, input: text }).status
    }
    return { genuine: statusOf(manifest), tampered: statusOf(manifest.replace('1.2.3', '1.2.4')) !== 0 }
  }

  describe.skipIf(isMissing('openssl'))('for openssl 3', () => {
    test('is valid, and invalid for a modified manifest', () => {
      const words = '-verify -rawin -pubin -inkey key.pem -sigfile manifest.json.sig -in manifest.json'
      expect(runTool('openssl', ['pkeyutl', ...words.split(' ')])).toEqual({ genuine: 0, tampered: true })
    })
  })

  describe.skipIf(isMissing('ssh-keygen'))('for OpenSSH', () => {
    test('is valid, and invalid for a modified manifest', () => {
      const words = '-f allowed_signers -I release -n vedette-release -s manifest.json.sshsig'
      expect(runTool('ssh-keygen', ['-Y', 'verify', ...words.split(' ')])).toEqual({ genuine: 0, tampered: true })
    })
  })
})

test('a key of another type is rejected', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  expect(() => readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))).toThrow('no Ed25519 key')
})
