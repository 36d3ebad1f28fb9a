import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findTool, isMissing } from '../../scripts/test-tools.ts'
import { makeKey, newFolder, serveFolder, type SigningKey, writeManifest } from './release.ts'

const ORIGINAL = join(import.meta.dirname, '../scripts/install.sh')
/** With a data folder of its own: that of the machine may be in use. */
const STATE_DIR = newFolder('state')
const SCRIPT = join(newFolder('script'), 'install.sh')
writeFileSync(SCRIPT, readFileSync(ORIGINAL, 'utf8').replace('STATE_DIR=/var/lib/vedette', `STATE_DIR=${STATE_DIR}`))
const ARCH = process.arch === 'arm64' ? 'arm64' : 'x64'
const NAME = `vedette-agent-0.1.0-linux-${ARCH}`
/** What the script needs in any case; openssl and ssh-keygen are what it may verify with. */
const TOOLS = ['awk', 'cat', 'curl', 'cut', 'date', 'grep', 'head', 'id', 'mktemp', 'rm', 'sed', 'sha256sum', 'tr', 'uname', 'xz']

let key: SigningKey
let folder = ''
let url = ''
let server: Server
let archives: string[] = []
beforeAll(async () => {
  key = makeKey()
  folder = newFolder('release')
  mkdirSync(join(folder, NAME, 'bin'), { recursive: true })
  writeFileSync(join(folder, NAME, 'bin/vedette-agent'), '#!/bin/sh\necho 0.1.0\n', { mode: 0o755 })
  archives = [`${NAME}.tar.gz`, `${NAME}.tar.xz`].map((name) => join(folder, name))
  for (const path of archives) execFileSync('tar', ['-caf', path, '-C', folder, NAME])
  ;({ url, server } = await serveFolder(folder))
})
beforeEach(() => writeManifest(folder, key, archives))
afterAll(() => server.close())

/** Runs the script with a PATH that contains only these of the programs that verify signatures. */
async function install(args: string[], verifiers: string[] = ['openssl'], script = SCRIPT) {
  const bin = newFolder('bin')
  for (const name of [...TOOLS, ...verifiers]) symlinkSync(findTool(name) ?? name, join(bin, name))
  const child = spawn('/bin/sh', [script, '--releases', url, ...args], { env: { PATH: bin }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve))), output, errors }
}
/** A dry run with the key in a file; it needs no permissions and changes nothing. */
function dryRun(args: string[] = [], verifiers?: string[]) {
  const keys = join(newFolder('keys'), 'keys.pem')
  writeFileSync(keys, key.pem)
  return install(['--dry-run', '--keys', keys, ...args], verifiers)
}
const digestOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')

test.skipIf(isMissing('shellcheck'))('shellcheck reports nothing in install.sh', () => {
  expect(execFileSync('shellcheck', ['--norc', ORIGINAL], { encoding: 'utf8' })).toBe('')
})

describe.skipIf(isMissing('curl', 'openssl', 'ssh-keygen', 'xz'))('install.sh', () => {
  test('a dry run verifies the release, shows what it would do, and changes nothing [INSTALL-04, INSTALL-05]', async () => {
    const { code, output, errors } = await dryRun()
    expect([code, errors]).toEqual([0, ''])
    expect(output).toContain('verified by openssl: the manifest')
    expect(output).toContain(`verified by sha256: ${NAME}.tar.xz`)
    expect(output).toContain('would run: mkdir -p /opt/vedette-agent/versions')
    expect(existsSync('/opt/vedette-agent')).toBe(false)
  })

  test.each(['secret.key', 'postgres.passwords.json'])('is refused where a backend has its data, as %s shows', async (name) => {
    const path = join(STATE_DIR, name)
    writeFileSync(path, '')
    const { code, errors } = await dryRun()
    rmSync(path)
    expect([code, errors]).toEqual([1, expect.stringContaining(`a Vedette backend stores its data in ${STATE_DIR}`)])
  })

  test('verifies with ssh-keygen if openssl cannot, and by the hash from the backend if neither can [INSTALL-04]', async () => {
    expect((await dryRun([], ['ssh-keygen'])).output).toContain('verified by ssh-keygen')
    const digest = await dryRun(['--manifest-sha256', digestOf('manifest.json')], [])
    expect([digest.code, digest.output]).toEqual([0, expect.stringContaining('verified by the hash from the backend')])
    expect(await dryRun([], [])).toMatchObject({ code: 1, errors: expect.stringContaining('no program here can verify') })
  })

  test.each(['dpkg', 'rpm'])(
    'is refused where the package is installed, with %s as the only package manager',
    async (manager) => {
      const bin = newFolder('bin')
      for (const name of TOOLS) symlinkSync(findTool(name) ?? name, join(bin, name))
      writeFileSync(join(bin, manager), '#!/bin/sh\necho "Status: install ok installed"\n', { mode: 0o755 })
      const { status, stderr } = spawnSync('/bin/sh', [SCRIPT, '--dry-run', '--releases', url], {
        env: { PATH: bin },
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([1, expect.stringContaining('the package vedette-agent is installed')])
    },
  )

  test.each([['openssl'], ['ssh-keygen']])('a modified manifest is refused by %s [INSTALL-04]', async (verifier) => {
    const path = join(folder, 'manifest.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": "0.1.0"', '"version": "0.1.1"'))
    expect(await dryRun([], [verifier])).toMatchObject({ code: 1, errors: expect.stringContaining('REFUSED: the signature') })
  })

  test.each([['openssl'], ['ssh-keygen']])(
    'a manifest that another key signed is refused by %s [INSTALL-04]',
    async (verifier) => {
      writeManifest(folder, makeKey(), archives)
      expect(await dryRun([], [verifier])).toMatchObject({ code: 1, errors: expect.stringContaining('REFUSED: the signature') })
    },
  )

  test.each([['openssl'], ['ssh-keygen']])(
    'the second of two keys is as good as the first, by %s [INSTALL-04]',
    async (verifier) => {
      const keys = join(newFolder('keys'), 'keys.pem')
      writeFileSync(keys, makeKey().pem + key.pem)
      expect(await install(['--dry-run', '--keys', keys], [verifier])).toMatchObject({ code: 0 })
    },
  )

  test('a manifest that the backend did not verify is refused despite a valid signature [INSTALL-04]', async () => {
    const digest = '0'.repeat(64)
    expect(await dryRun(['--manifest-sha256', digest])).toMatchObject({ code: 1, errors: expect.stringContaining('REFUSED') })
    expect(await dryRun(['--manifest-sha256', digest], [])).toMatchObject({ code: 1, errors: expect.stringContaining('REFUSED') })
  })

  test('a modified file is refused [INSTALL-04]', async () => {
    const path = join(folder, `${NAME}.tar.xz`)
    const good = readFileSync(path)
    appendFileSync(path, '!')
    expect(await dryRun()).toMatchObject({ code: 1, errors: expect.stringContaining('is not the signed file') })
    writeFileSync(path, good)
  })

  test('an expired manifest is refused [INSTALL-04]', async () => {
    writeManifest(folder, key, archives, { expiresAt: '2026-01-02T00:00:00Z' })
    expect(await dryRun()).toMatchObject({ code: 1, errors: expect.stringContaining('REFUSED: the manifest has expired') })
  })

  test('a truncated script does nothing [INSTALL-06]', async () => {
    const whole = readFileSync(SCRIPT, 'utf8')
    const ends = [...whole.matchAll(/\n/g)].map(({ index }) => index)
    // Every ninth line, and each of the last ones.
    const cuts = ends.slice(0, -1).filter((_, index) => index % 9 === 4 || index > ends.length - 6)
    const part = join(newFolder('script'), 'install.sh')
    for (const cut of cuts) {
      writeFileSync(part, whole.slice(0, cut + 1).replace('set -eu', 'set -eu; TMPDIR=/nowhere'))
      expect((await install(['--dry-run', '--uninstall'], [], part)).output).toBe('')
    }
    expect(readdirSync(folder)).toContain('manifest.json')
  })

  /** Runs one function of the script as on macOS, with commands that write down how they were called. */
  function onMac(stubs: Record<string, string>, call: string): string[] {
    const bin = newFolder('bin')
    const all = { uname: 'case $1 in -m) echo arm64 ;; *) echo Darwin ;; esac', sleep: '', launchctl: '', dscl: '', ...stubs }
    // Not those that are replaced: a write would follow the link to the program of this machine.
    for (const name of TOOLS.filter((name) => !(name in all))) symlinkSync(findTool(name) ?? name, join(bin, name))
    for (const [name, body] of Object.entries(all))
      writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>"$CALLS"\n${body}\n`, { mode: 0o755 })
    const whole = readFileSync(SCRIPT, 'utf8').replace(/\nmain "\$@"\n$/, '\n')
    const file = join(bin, 'calls')
    const { stdout } = spawnSync('/bin/sh', ['-c', `${whole}\ndry_run=no packaged=no other='' purge=no\n${call}`], {
      env: { PATH: bin, CALLS: file },
      encoding: 'utf8',
    })
    const calls = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
    return [...stdout.split('\n').filter((line) => line.startsWith('would run: dscl')), ...calls]
  }

  test('waits until launchd has ended the old service before it starts the new one', () => {
    // The old one is there for two more looks.
    const launchctl = '[ "$1" != print ] || [ "$(grep -c "^launchctl print" "$CALLS")" -le 2 ]'
    expect(onMac({ launchctl }, "os=darwin service=launchd start=yes key_file=x token='' auto_update=no; start_service")).toEqual(
      [
        'launchctl bootout system/vedette-agent',
        'launchctl print system/vedette-agent',
        'sleep 1',
        'launchctl print system/vedette-agent',
        'sleep 1',
        'launchctl print system/vedette-agent',
        'launchctl bootstrap system /Library/LaunchDaemons/vedette-agent.plist',
      ],
    )
  })

  test('a purge deletes the user on macOS too', () => {
    const call = 'parse --dry-run --uninstall --purge; check_host; AGENT_USER=root; uninstall'
    expect(onMac({}, call)).toContain('would run: dscl . -delete /Users/root')
  })

  test('an unknown option and an option without its value are refused', async () => {
    expect(await install(['--upgrade'])).toMatchObject({
      code: 1,
      errors: 'install.sh: unknown option --upgrade; --help lists the options\n',
    })
    expect(await install(['--url'])).toMatchObject({ code: 1, errors: 'install.sh: --url takes a value\n' })
    expect(await install(['--url', 'https://a.example/$(id)'])).toMatchObject({ code: 1 })
  })
})
