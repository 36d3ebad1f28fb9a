import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ensureInstalled, explain, InstallError, isInstalled, writeStamp } from '../launch/install.mjs'
import { pickNode } from '../launch/node.mjs'
import { pnpmPath } from '../launch/pnpm.mjs'

const repository = join(import.meta.dirname, '../..')
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'launch-'))
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  for (const name of ['scripts', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    cpSync(join(repository, name), join(root, name), { recursive: true })
  }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function plant(path: string, text: string, mode = 0o644): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}
const plantNode = (path: string, body: string) => plant(path, `#!/bin/sh\n${body}\n`, 0o755)

/** The environment of this process until the work is done. */
async function within(environment: Record<string, string | undefined>, work: () => Promise<void>): Promise<void> {
  const set = (values: Record<string, string | undefined>) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  const before = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]))
  set(environment)
  try {
    await work()
  } finally {
    set(before)
  }
}

const PATH = process.env['PATH']
/** Runs ensureInstalled with stand-ins for npm and for the pnpm that it fetches. */
async function installWith(pnpm: string, scope: 'run' | 'all' = 'all', npm = ''): Promise<void> {
  plantNode('pnpm', pnpm)
  const place = pnpmPath('"$3"')
  plantNode('bin/npm', `[ "$1 $2" = "ci --prefix" ] || exit 9\n${npm}\nmkdir -p ${dirname(place)} && cp '${root}/pnpm' ${place}`)
  await within({ PATH: `${join(root, 'bin')}:${PATH}` }, () => ensureInstalled(root, scope))
}

const launcher = () => join(root, 'scripts/launch.sh')
const env = { ...process.env, npm_node_execpath: process.execPath }
const launch = (...args: string[]) => spawnSync('sh', [launcher(), ...args], { encoding: 'utf8', env })

/** Starts a command in a process group of its own, stops it as requested once it is up, and waits for the end of all output. */
async function stopped(
  stop: (running: ChildProcess) => void,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const running = spawn('sh', [launcher(), ...args], { stdio: ['ignore', 'pipe', 'inherit'], detached: true, env })
  let output = ''
  return new Promise((done) => {
    running.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const wasUp = output.startsWith('up\n')
      output += chunk
      if (!wasUp && output.startsWith('up\n')) stop(running)
    })
    running.once('close', (code) => done({ code, output }))
  })
}

describe('pickNode', () => {
  const NO_LIBATOMIC =
    'echo "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory" >&2; exit 127'

  test('takes the pinned one when it starts [START-09]', () => {
    const path = plantNode('node_modules/.bin/node', 'echo v26.1.2')
    expect(pickNode(root, { PATH: '', execPath: process.execPath })).toEqual({ path, version: '26.1.2' })
  })

  test("takes the machine's own from 24 on when the pinned one cannot start, and says so [START-10]", () => {
    plantNode('node_modules/.bin/node', NO_LIBATOMIC)
    const old = plantNode('old/node', 'echo v23.9.0')
    const path = plantNode('new/node', 'echo v24.0.0')
    const picked = pickNode(root, { PATH: dirname(path), execPath: old })
    expect(picked).toMatchObject({ path, version: '24.0.0' })
    expect(picked.note).toMatch(/libatomic\.so\.1.*24\.0\.0/)
  })

  test.each([
    [
      'the library and its package',
      NO_LIBATOMIC,
      /libatomic\.so\.1[^]*own Node is 23\.9\.0[^]*apt-get install -y libatomic1[^]*dnf install -y libatomic[^]*nodejs\.org/,
    ],
    ['what it said', 'echo "Illegal instruction" >&2; exit 132', /Illegal instruction[^]*nodejs\.org/],
    ['how it ended', 'exit 9', /it ended by 9[^]*nodejs\.org/],
  ])('else names %s and the cure [START-11]', (_what, body, message) => {
    plantNode('node_modules/.bin/node', body)
    const old = plantNode('old/node', 'echo v23.9.0')
    expect(() => pickNode(root, { PATH: dirname(old), execPath: old })).toThrow(message)
  })
})

describe('ensureInstalled', () => {
  test('an install is due without a stamp, after a change of the lockfile, and when links were removed', () => {
    mkdirSync(join(root, 'agent/node_modules'), { recursive: true })
    expect(isInstalled(root, 'run')).toBe(false)
    writeStamp(root)
    expect(isInstalled(root, 'run')).toBe(true)
    rmSync(join(root, 'agent/node_modules'), { recursive: true })
    expect(isInstalled(root, 'run')).toBe(false)
    writeStamp(root)
    plant('pnpm-lock.yaml', 'lockfileVersion: other\n')
    expect(isInstalled(root, 'run')).toBe(false)
    plant('node_modules/.vedette-installed', '{"finger')
    expect(isInstalled(root, 'run')).toBe(false)
  })

  test('fetches pnpm and runs it once, in two launches at the same time', async () => {
    const record = `echo "$@" >> '${root}/calls'; sleep 0.3`
    const pnpm = `${record}; echo 'Progress: resolved 2, reused 0, downloaded 2, added 2, done'`
    await Promise.all([installWith(pnpm, 'all', record), installWith(pnpm, 'all', record)])
    expect(readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n')).toEqual([
      `ci --prefix ${root}/.setup/pnpm --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error`,
      'install --frozen-lockfile',
    ])
    expect(isInstalled(root, 'run')).toBe(true)
    expect(existsSync(join(root, '.setup'))).toBe(false)
  })

  test('an install is due when another pnpm is named', () => {
    writeStamp(root)
    plant('scripts/launch/pnpm.json', '{"version":"1.0.0","integrity":{}}')
    expect(isInstalled(root, 'run')).toBe(false)
  })

  describe('of the programs alone', () => {
    const calls = () => readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n')
    const record = () => `echo "$npm_config_cache $@" >> '${root}/calls'; mkdir -p '${root}/.setup/npm'`
    const install = (scope: 'run' | 'all') =>
      within({ npm_config_cache: join(root, 'npm'), PNPM_HOME: join(root, 'home') }, () => installWith(record(), scope))

    test('leaves out the tools of tests, which the first test installs and a later start keeps [START-01, START-06]', async () => {
      await install('run')
      await install('run')
      expect(calls()).toHaveLength(1)
      await install('all')
      await install('run')
      plant('pnpm-lock.yaml', 'lockfileVersion: other\n')
      await install('run')
      const [first, ...others] = calls()
      expect(first).toContain('install --frozen-lockfile --prod ')
      expect(others).toEqual(Array(2).fill(`${root}/npm install --frozen-lockfile`))
    })

    test('leaves nothing in the home folder, and no caches in the clone', async () => {
      await install('run')
      expect(calls()).toEqual([
        `${root}/.setup/npm install --frozen-lockfile --prod --trust-lockfile --store-dir ${root}/.setup/store`,
      ])
      expect(existsSync(join(root, '.setup'))).toBe(false)
    })

    test('uses the store of the home folder where there is one', async () => {
      mkdirSync(join(root, 'home/store'), { recursive: true })
      await install('run')
      expect(calls()).toEqual([`${root}/npm install --frozen-lockfile --prod --trust-lockfile`])
    })
  })

  test('a failed install leaves no stamp and is due again; a lock of a dead process is taken over', async () => {
    writeStamp(root)
    plant('pnpm-lock.yaml', 'lockfileVersion: other\n')
    const dead = spawnSync('true').pid
    plant('.install-lock', `${dead}\n`)
    await expect(installWith('echo "request failed: ENOTFOUND"; exit 3')).rejects.toThrow(InstallError)
    expect(isInstalled(root, 'run')).toBe(false)
    await installWith('exit 0')
    expect(isInstalled(root, 'run')).toBe(true)
  })

  test.each([
    ['getaddrinfo ENOTFOUND', 'cannot be reached'],
    ['error sending request: client error (Connect)', 'cannot be reached'],
    ['connect ECONNREFUSED', 'cannot be reached'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS'],
    ['ENOSPC: no space left', 'disk is full'],
    ["EROFS: read-only file system, mkdir '/root/.npm'", 'HOME may point'],
    ['spawn npm ENOENT', 'npm was not found'],
    ['npm error code EINTEGRITY', 'not the one that this checkout names'],
    ['ERR_PNPM_OUTDATED_LOCKFILE', 'npm run pnpm -- install'],
    ['something else', 'delete node_modules'],
  ])('%s: %s', (output, cure) => {
    expect(explain(output, 1)).toContain(output)
    expect(explain(output, 1)).toContain(cure)
  })
})

describe('pnpm is fetched by its digest', () => {
  const system = () => /exe\.([^/]+)/.exec(pnpmPath(''))?.[1] ?? ''

  /** A registry on this machine whose only package is a pnpm of one line. */
  async function withRegistry(work: (pnpm: { version: string; integrity: string }, url: string) => Promise<void>): Promise<void> {
    const [name, version] = [`@pnpm/exe.${system()}`, '1.2.3']
    plant('package/package.json', JSON.stringify({ name, version }))
    plantNode('package/pnpm', `echo "$@" >> '${root}/calls'`)
    const packed = execFileSync('tar', ['-C', root, '-cz', 'package'])
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo
      const dist = { tarball: `http://127.0.0.1:${port}/pnpm.tgz` }
      const document = { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dist } } }
      response.end(request.url === '/pnpm.tgz' ? packed : JSON.stringify(document))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    try {
      await work(
        { version, integrity: `sha512-${createHash('sha512').update(packed).digest('base64')}` },
        `http://127.0.0.1:${port}/`,
      )
    } finally {
      server.close()
    }
  }
  const npmOf = (registry: string) => ({
    npm_config_registry: registry,
    npm_config_cache: join(root, 'npm'),
    npm_config_fetch_retries: '0',
  })
  const install = (registry: string) => within(npmOf(registry), () => ensureInstalled(root, 'all'))

  test('and not run where npm gets another', async () => {
    await withRegistry(async ({ version, integrity }, registry) => {
      const name = (digest: string) =>
        plant('scripts/launch/pnpm.json', JSON.stringify({ version, integrity: { [system()]: digest } }))
      name(`sha512-${createHash('sha512').update('another').digest('base64')}`)
      await expect(install(registry)).rejects.toThrow(/EINTEGRITY[^]*not the one that this checkout names/)
      expect([existsSync(join(root, 'calls')), isInstalled(root, 'run')]).toEqual([false, false])
      name(integrity)
      await install(registry)
      expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('install --frozen-lockfile\n')
    })
  })

  test('by `npm run pnpm` too, which takes its arguments and its exit code', async () => {
    await withRegistry(async ({ version, integrity }, registry) => {
      plant('scripts/launch/pnpm.json', JSON.stringify({ version, integrity: { [system()]: integrity } }))
      const running = spawn('sh', [join(root, 'scripts/launch.sh'), 'pnpm', '-r', 'run', 'a b'], {
        stdio: 'ignore',
        env: { ...env, ...npmOf(registry) },
      })
      expect(await new Promise((done) => running.once('close', done))).toBe(0)
      expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('-r run a b\n')
    })
  })

  test('which the table has for Linux on both processors', () => {
    const { integrity } = JSON.parse(readFileSync(join(repository, 'scripts/launch/pnpm.json'), 'utf8')) as {
      integrity: Record<string, string>
    }
    expect(Object.keys(integrity)).toEqual(['linux-arm64', 'linux-x64'])
    for (const digest of Object.values(integrity)) expect(digest).toMatch(/^sha512-[\w+/]{86}==$/)
  })
})

describe('a program that was started', () => {
  const STAND_IN = `
    let stops = 0
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {
      stops += 1
      console.log('got ' + signal)
      setTimeout(() => process.exit(stops === 1 ? 7 : 99), 200)
    })
    const [, , ...args] = process.argv
    if (args.includes('--die')) process.kill(process.pid, 'SIGKILL')
    else if (args.includes('--stay')) { console.log('up'); setInterval(() => {}, 1000) }
    else { console.log(JSON.stringify(args)); process.exit(3) }`
  beforeEach(() => {
    writeStamp(root)
    symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'))
    for (const path of ['backend/src/main.ts', 'backend/dist/bundle/vedette.mjs']) plant(path, STAND_IN)
  })
  test('gets its arguments, and its exit code is passed on [START-08]', () => {
    expect(launch('start', '--help', 'a b')).toMatchObject({ status: 3, stdout: '["start","--help","a b"]\n', stderr: '' })
    expect(launch('vedette', 'compact')).toMatchObject({ status: 3, stdout: '["compact"]\n' })
    expect(launch('vedette', '--die').signal).toBe('SIGKILL')
    expect(launch('no-such-command').status).toBe(2)
  })

  test('finds built what it serves and is built of, and is not started where that fails [START-37]', () => {
    plant('dashboard/index.html', '<!doctype html>')
    const vite = plant('dashboard/node_modules/vite/bin/vite.js', "console.error('no vite today'); process.exit(1)")
    expect(launch('vedette', 'compact')).toMatchObject({ status: 3, stderr: '' })
    for (const args of [['start'], ['vedette', 'serve'], ['vedette', 'start'], ['dashboard']])
      expect(launch(...args)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('no vite today') })
    const makes = (folder: string) => `import fs from 'node:fs'; fs.mkdirSync('${folder}', { recursive: true })`
    plant('node_modules/rolldown/bin/cli.mjs', makes('dist/bundle'))
    for (const part of ['backend', 'agent']) plant(`${part}/rolldown.config.ts`, '')
    rmSync(vite)
    plant('dashboard/node_modules/vite/package.json', '{"type":"module"}')
    plant('dashboard/node_modules/vite/bin/vite.js', makes('dist'))
    const built = (...names: string[]) => new RegExp(`^${names.map((name) => `set-up: ${name} built in .* s\n`).join('')}$`)
    expect(launch('vedette', 'serve')).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(built('dashboard', 'backend', 'agent')),
    })
    expect(launch('start')).toMatchObject({ status: 3, stderr: '' })
  })

  test('gets an --env-file that is missing, which Node would take for its own', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    for (const [name, args] of [
      ['start', ['start', '--env-file', '/nowhere']],
      ['vedette', ['--env-file', '/nowhere']],
    ] as const) {
      const run = spawnSync('sh', ['-c', `${scripts[name]} --env-file /nowhere`], { cwd: root, env, encoding: 'utf8' })
      expect(run).toMatchObject({ status: 3, stdout: `${JSON.stringify(args)}\n`, stderr: '' })
    }
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('gets %s itself, and is the process that was started', async (signal) => {
    const once = { code: 7, output: `up\ngot ${signal}\n` }
    expect(await stopped((running) => running.kill(signal), 'start', '--stay')).toEqual(once)
    expect(await stopped(({ pid }) => process.kill(-(pid ?? 0), signal), 'start', '--stay')).toEqual(once)
  })

  test('a signal during the set-up ends the set-up, and nothing is started', async () => {
    rmSync(join(root, 'node_modules/.vedette-installed'))
    plantNode('bin/npm', 'exec sleep 60')
    const running = spawn('sh', [launcher(), 'start'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...env, PATH: `${join(root, 'bin')}:${PATH}` },
    })
    const output: string[] = []
    running.stdout?.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk))
    const closed = new Promise((done) => running.once('close', (_code, signal) => done(signal)))
    const lock = join(root, '.install-lock')
    // Names the launcher and the installer.
    await expect.poll(() => existsSync(lock) && readFileSync(lock, 'utf8'), { timeout: 20_000 }).toMatch(/ /)
    running.kill('SIGTERM')
    expect(await closed).toBe('SIGTERM')
    await expect.poll(() => existsSync(lock), { timeout: 20_000 }).toBe(false)
    expect(output).toEqual([])
  })
})
