import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { manifestFaults, sumFaults } from '../release/folder.ts'
import { versionFaults } from '../release/versions.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('one version', () => {
  beforeEach(() => {
    write('CHANGELOG.md', '# Changelog\n\n## [1.2.3] - 2026-11-21\n\n## [1.2.2] - 2026-11-20\n')
    for (const path of ['package.json', 'agent/package.json']) write(path, '{"version": "1.2.3"}')
    write('bench/package.json', '{}')
    for (const path of ['backend/src/platform/version.ts', 'agent/src/version.ts'])
      write(path, "export const VERSION = '1.2.3'\n")
  })

  test('is that of the newest entry, of each package and of the programs', () => {
    expect(versionFaults(folder)).toEqual([])
    write('agent/package.json', '{"version": "1.2.2"}')
    write('backend/src/platform/version.ts', "const VERSION = '1.3.0'\n")
    expect(versionFaults(folder)).toEqual([
      'agent/package.json says 1.2.2, not 1.2.3',
      'backend/src/platform/version.ts says 1.3.0, not 1.2.3',
    ])
  })

  test('is the same in all packages and programs of this repository', () => {
    expect(versionFaults(join(import.meta.dirname, '../..')).filter((fault) => fault.includes(' says '))).toEqual([])
  })

  test('is missing while the newest entry is not released', () => {
    write('CHANGELOG.md', '## [Unreleased]\n\n## [1.2.3]\n')
    expect(versionFaults(folder)).toEqual(['the newest entry of CHANGELOG.md is Unreleased, no version'])
    write('CHANGELOG.md', '## [1.2.3] - unreleased\n')
    expect(versionFaults(folder)).toEqual(['the entry 1.2.3 of CHANGELOG.md has no date'])
  })
})

describe('the folder of a release', () => {
  const NOW = Date.parse('2026-11-21T00:00:00Z')
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')

  function writeRelease(changes: { version?: string; expires_at?: string } = {}): void {
    const artefacts = [{ name: 'agent.deb', size: 6, sha256: sha256('agent!') }]
    const head = { format: 'vedette-release-1', version: '1.2.3', expires_at: '2026-11-22T00:00:00Z', ...changes }
    const manifest = Buffer.from(JSON.stringify({ ...head, artefacts }))
    write('agent.deb', 'agent!')
    write('manifest.json', manifest)
    write('manifest.json.sig', sign(null, manifest, privateKey))
    write('release-keys.pem', publicKey.export({ type: 'spki', format: 'pem' }))
    const names = ['agent.deb', 'manifest.json', 'release-keys.pem']
    write('SHA256SUMS', names.map((name) => `${sha256(readFileSync(join(folder, name), 'utf8'))}  ${name}\n`).join(''))
  }
  const faults = async () => [...(await sumFaults(folder)), ...(await manifestFaults(folder, '1.2.3', NOW))]

  test('is good as it was built, and no file of it may change, go or come', async () => {
    writeRelease()
    expect(await faults()).toEqual([])
    write('agent.deb', 'Agent!')
    expect(await faults()).toEqual(['agent.deb has another digest', 'agent.deb is not what the manifest says'])
    rmSync(join(folder, 'agent.deb'))
    write('stray.txt', '')
    expect(await faults()).toEqual([
      'agent.deb is missing',
      'stray.txt is not in SHA256SUMS',
      'agent.deb of the manifest is missing',
    ])
  })

  test('has a manifest that is signed, of this version and not expired', async () => {
    writeRelease({ version: '1.2.2', expires_at: '2026-11-21T00:00:00Z' })
    expect(await faults()).toEqual([
      'the manifest is of version 1.2.2, not 1.2.3',
      'the manifest has expired at 2026-11-21T00:00:00Z',
    ])
    write('manifest.json.sig', Buffer.alloc(64))
    expect(await faults()).toEqual(['none of the keys in release-keys.pem has signed manifest.json'])
    rmSync(join(folder, 'manifest.json.sig'))
    expect(await faults()).toEqual(['nothing is signed: manifest.json.sig missing'])
  })
})
