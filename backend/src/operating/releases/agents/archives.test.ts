import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { silentLog } from '../../../platform/logging/log.ts'
import { type ArchiveDeps, createArchives } from './archives.ts'
import { NodeMissing, type NodeSource } from './node-source.ts'

const BUNDLE = {
  version: '1.2.3',
  nodeFlags: ['--first', '--second'],
  files: new Map([['vedette-agent.cjs', Buffer.from('the agent')]]),
}
/** In place of Node: it prints what it is started with. */
const STUB = '#!/bin/sh\necho "$0 $*"\n'

const newFolder = () => mkdtempSync(join(tmpdir(), 'vedette-agents-'))

/** A package of npm with that program. */
function tarballWith(program: string): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'package/bin'), { recursive: true })
  writeFileSync(join(folder, 'package', program), STUB)
  for (const name of ['README.md', 'LICENSE']) writeFileSync(join(folder, 'package', name), `the ${name}`)
  execFileSync('tar', ['-czf', 'node.tgz', 'package'], { cwd: folder })
  return join(folder, 'node.tgz')
}

function scene(tarball: NodeSource['tarball'], own?: ArchiveDeps['own']) {
  const folder = newFolder()
  const clock = { atMs: 0, now: () => clock.atMs }
  const source: NodeSource = { installed: () => undefined, tarball }
  const archives = createArchives({ folder, bundle: () => BUNDLE, source, own, clock, log: silentLog })
  return { folder, clock, archives }
}

it('is built once for all who wait, is found again by the next process, and starts through the links of install.sh', async () => {
  let fetched = 0
  const tarball = async () => {
    fetched += 1
    return tarballWith('bin/node')
  }
  const { archives, folder } = scene(tarball)
  const [one, other] = await Promise.all([archives.read('linux-arm64'), archives.read('linux-arm64')])
  expect(other).toEqual(one)
  const next = createArchives({
    folder,
    bundle: () => BUNDLE,
    source: { installed: () => undefined, tarball },
    own: undefined,
    clock: { now: () => 0 },
    log: silentLog,
  })
  expect(await next.read('linux-arm64')).toEqual(one)
  expect([fetched, readdirSync(folder)]).toEqual([1, [expect.stringMatching(/^linux-arm64-[0-9a-f]{16}\.tar\.gz$/)]])

  const host = newFolder()
  mkdirSync(join(host, 'versions'))
  execFileSync('tar', ['-xf', one.path, '-C', join(host, 'versions')])
  symlinkSync('versions/vedette-agent-1.2.3-linux-arm64', join(host, 'current'))
  symlinkSync(join(host, 'current/bin/vedette-agent'), join(host, 'agent'))
  const lib = `${host}/current/bin/../lib/vedette`
  expect(execFileSync(join(host, 'agent'), ['run', 'a b'], { encoding: 'utf8' })).toBe(
    `${lib}/node --first --second ${lib}/vedette-agent.cjs run a b\n`,
  )
  const all = execFileSync('tar', ['-tf', one.path], { encoding: 'utf8' })
  for (const name of ['NODE-LICENSE.txt', 'LICENSES.txt', 'units/vedette-agent.service', 'smart.sh'])
    expect(all).toContain(`/share/vedette-agent/${name}\n`)
  expect(all).not.toContain('README')
})

it.each([
  ['win-x64', 'bin/node.exe', 'bin/vedette-agent.cmd', 'lib/vedette/node.exe'],
  ['darwin-arm64', 'bin/node', 'bin/vedette-agent', 'share/vedette-agent/units/vedette-agent.plist'],
] as const)('for %s has what that system needs', async (platform, program, ...names) => {
  const { archives } = scene(async () => tarballWith(program))
  const all = execFileSync('tar', ['-tf', (await archives.read(platform)).path], { encoding: 'utf8' })
  for (const name of names) expect(all).toContain(`vedette-agent-1.2.3-${platform}/${name}\n`)
})

it('is never served half: a build that fails leaves nothing, is not repeated for half a minute, and then works', async () => {
  let [fetched, path] = [0, tarballWith('bin/other')]
  const { archives, folder, clock } = scene(async () => {
    fetched += 1
    return path
  })
  await expect(archives.read('linux-arm64')).rejects.toThrow(NodeMissing)
  path = tarballWith('bin/node')
  clock.atMs = 29_999
  await expect(archives.read('linux-arm64')).rejects.toThrow(NodeMissing)
  expect([fetched, readdirSync(folder)]).toEqual([1, []])
  clock.atMs = 30_000
  expect((await archives.read('linux-arm64')).size).toBeGreaterThan(0)
  expect(fetched).toBe(2)
})

it('one platform is built after the other', async () => {
  let [running, most] = [0, 0]
  const { archives } = scene(async () => {
    most = Math.max(most, (running += 1))
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return tarballWith('bin/node')
  })
  await Promise.all([archives.read('linux-arm64'), archives.read('darwin-x64'), archives.read('darwin-arm64')])
  expect(most).toBe(1)
})

it.runIf(process.platform === 'linux' && process.arch === 'x64')('takes the libatomic of its own host along', async () => {
  const { archives } = scene(async () => tarballWith('bin/node'), 'linux-x64')
  const all = execFileSync('tar', ['-tf', (await archives.read('linux-x64')).path], { encoding: 'utf8' })
  expect(all).toContain('/lib/vedette/libatomic.so.1\n')
})
