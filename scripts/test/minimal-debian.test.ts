import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeStamp } from '../launch/install.mjs'
import { tryNode } from '../launch/node.mjs'
import { isMissing } from '../test-tools.ts'

const repository = join(import.meta.dirname, '../..')
const SUITE = 'bookworm'

/** The Debian mirror that this machine's apt uses; undefined where it uses none, then debootstrap has a default. */
function hostMirror(): string | undefined {
  if (!/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))) return undefined
  const folder = '/etc/apt/sources.list.d'
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(?:list|sources)$/.test(name)) : []
  const files = ['/etc/apt/sources.list', ...names.map((name) => join(folder, name))].filter((path) => existsSync(path))
  const text = files.map((path) => readFileSync(path, 'utf8')).join('\n\n')
  const oneLine = /^deb\s+(?:\[.*?\]\s+)?(https?:\S+)\s+(?:stable|oldstable|[a-z]+)\s+.*\bmain\b/m.exec(text)?.[1]
  const stanza = text
    .split(/\n\s*\n/)
    .find((one) => /^Components:.*\bmain\b/m.test(one) && !/^Suites:.*(?:-security|nodistro)/m.test(one))
  return oneLine ?? /^URIs:\s*(https?:\S+)/m.exec(stanza ?? '')?.[1]
}

/** Unpacks a minimal Debian into `root`. The tarball only saves time; it is used only where nobody but root can have made it. */
function makeDebian(root: string): void {
  const tarball = join(tmpdir(), `vedette-debootstrap-${SUITE}.tar`)
  const stat = lstatSync(tarball, { throwIfNoEntry: false })
  if (stat?.isFile() && stat.uid === 0 && (stat.mode & 0o022) === 0) {
    execFileSync('tar', ['-C', root, '-xpf', tarball])
    return
  }
  const args = ['--variant=minbase', '--include=libstdc++6', SUITE, root, ...[hostMirror() ?? []].flat()]
  const run = spawnSync('debootstrap', args, {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
  })
  if (run.status !== 0) throw new Error(`debootstrap failed:\n${(run.stdout + run.stderr).slice(-2000)}`)
  const unfinished = mkdtempSync(join(tmpdir(), 'debootstrap-'))
  execFileSync('tar', ['-C', root, '-cpf', join(unfinished, 'tar'), '.'])
  renameSync(join(unfinished, 'tar'), tarball)
  rmSync(unfinished, { recursive: true })
}

/** What the launcher reads of a checkout; the pinned Node keeps its links, as pnpm made them. */
function copyCheckout(to: string): void {
  const keep = { recursive: true, verbatimSymlinks: true }
  for (const name of ['scripts', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
    cpSync(join(repository, name), join(to, name), keep)
  const nodes = (folder: string) => readdirSync(join(repository, folder)).filter((name) => name.startsWith('node-'))
  for (const folder of ['node_modules', 'node_modules/.pnpm']) {
    for (const name of nodes(folder)) cpSync(join(repository, folder, name), join(to, folder, name), keep)
  }
  cpSync(join(repository, 'node_modules/.bin'), join(to, 'node_modules/.bin'), keep)
  writeStamp(to)
}

/** The Node that a user of this machine has: the first in PATH that is not the workspace's. */
function machineNode(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const path = folders.map((folder) => join(folder, 'node')).find((node) => existsSync(node))
  if (!path) throw new Error('no Node in PATH outside of node_modules')
  return realpathSync(path)
}

describe.skipIf(isMissing('root', 'debootstrap', 'chroot', 'tar'))('on a Debian 12 without libatomic.so.1', () => {
  let root = ''
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'minimal-debian-'))
    makeDebian(root)
    mkdirSync(join(root, 'vedette'))
    copyCheckout(join(root, 'vedette'))
    copyFileSync(machineNode(), join(root, 'usr/local/bin/node'))
    for (const name of ['resolv.conf', 'hosts']) copyFileSync(join('/etc', name), join(root, 'etc', name))
  }, 240_000)
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  function inside(command: string) {
    const env = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', DEBIAN_FRONTEND: 'noninteractive' }
    const run = spawnSync('chroot', [root, 'sh', '-c', command], { encoding: 'utf8', env })
    return { status: run.status, output: run.stdout + run.stderr }
  }
  /** As npm runs it: node_modules/.bin stands first in PATH, and with it a Node that cannot start. */
  function npmRun(script: 'start' | 'setup') {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    return inside(
      `cd /vedette; export PATH=/vedette/node_modules/.bin:$PATH npm_node_execpath=/usr/local/bin/node; ${scripts[script]}`,
    )
  }

  test('npm start names the library and the cure, and after the cure the pinned Node runs [START-10, START-11]', () => {
    // Where this machine's own Node is new enough it takes the pinned one's place, and says so.
    const takesOver = Number.parseInt(tryNode(machineNode()).version ?? '', 10) >= 24
    const said = takesOver ? "running on this machine's Node" : 'apt-get install -y libatomic1'
    const before = npmRun(takesOver ? 'setup' : 'start')
    expect(before.output).toContain('libatomic.so.1 is missing')
    expect(before).toMatchObject({ status: takesOver ? 0 : 1, output: expect.stringContaining(said) })

    expect(inside('apt-get -qq update && apt-get -qq install -y libatomic1')).toMatchObject({ status: 0 })

    const { version } = tryNode(join(repository, 'node_modules/.bin/node'))
    expect(npmRun('setup')).toEqual({ status: 0, output: `set up: dependencies installed, Node ${version}\n` })
  }, 120_000)
})
