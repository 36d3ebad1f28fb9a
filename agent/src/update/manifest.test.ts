import { expect, test } from 'vitest'
import { archiveFor, type Manifest, RejectedRelease, stageOf } from './manifest.ts'

test('the stage is the one of docs/releases.md: first four bytes of the SHA-256 of version and machine, modulo 100', () => {
  // printf '0.2.0:machine' | sha256sum | cut -c1-8 → base 16 modulo 100
  expect(stageOf('0.2.0', 'machine')).toBe(70)
  const counts = Array.from({ length: 10_000 }, (_, index) => stageOf('0.2.0', `machine-${index}`)).filter((stage) => stage < 10)
  expect(counts.length).toBeGreaterThan(850)
  expect(counts.length).toBeLessThan(1_150)
})

const artefact = (name: string) => ({
  name,
  program: 'vedette-agent',
  kind: 'archive',
  os: 'linux',
  arch: 'x64',
  size: 1,
  sha256: 'a'.repeat(64),
})
const manifest = (...names: string[]): Manifest => ({
  version: '0.2.0',
  sequence: 1,
  expiresAtMs: 0,
  stagedPercent: 100,
  artefacts: names.map(artefact),
})

test('the smaller archive is chosen if it can be unpacked', () => {
  const both = manifest('a.tar.gz', 'a.tar.xz')
  expect(archiveFor(both, 'linux', 'x64', true).name).toBe('a.tar.xz')
  expect(archiveFor(both, 'linux', 'x64', false).name).toBe('a.tar.gz')
  expect(() => archiveFor(both, 'linux', 'arm64', true)).toThrow(RejectedRelease)
})

test('a file name with a path is rejected even if the manifest is signed', () => {
  expect(() => archiveFor(manifest('../a.tar.gz'), 'linux', 'x64', true)).toThrow(RejectedRelease)
})
