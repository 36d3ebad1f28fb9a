import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { arch, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { startBackend, until } from './backend.ts'
import { DIST, debianTarball } from './host.ts'

const USER = 65_532

interface Config {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd?: string[]
  Volumes: Record<string, object>
  StopSignal?: string
  Healthcheck?: { Test: string[] }
}

/** An image of the release, unpacked as a runtime would. */
interface Image {
  root: string
  config: Config
  megabytes: number
}

const children: ChildProcess[] = []
const work = mkdtempSync(join(tmpdir(), 'vedette-images-'))

function unpack(name: string): Image {
  const file = join(DIST, `${name}-image-0.1.0-linux-${arch()}.tar.gz`)
  const archive = join(work, name)
  const root = join(work, `${name}-root`)
  for (const made of [archive, root]) mkdirSync(made)
  execFileSync('tar', ['-C', archive, '-xzf', file])
  const [manifest] = JSON.parse(readFileSync(join(archive, 'manifest.json'), 'utf8')) as [{ Config: string; Layers: string[] }]
  for (const layer of manifest.Layers) execFileSync('tar', ['-C', root, '-xpf', join(archive, layer)])
  for (const folder of ['proc', 'dev', 'sys', 'host']) mkdirSync(join(root, folder), { recursive: true })
  const { config } = JSON.parse(readFileSync(join(archive, manifest.Config), 'utf8')) as { config: Config }
  return { root, config, megabytes: statSync(file).size / 1e6 }
}

/**
 * As a runtime starts it: namespaces of its own but for the network, a read-only root, the image's user, no capability but those of
 * chroot and setuid, which the user does not have. `host`: the machine at /host.
 */
const START = `set -e
root=$1 volume=$2 state=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$state" "$root$volume"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/dev"
for name in null zero urandom random; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mkdir "$root/dev/shm"; chmod 1777 "$root/dev/shm" "$root/tmp"
if [ -n "$HOST" ]; then mount --rbind / "$root/host"; fi
mount -t proc proc "$root/proc"
mount -o remount,ro,bind "$root"
exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid --inh-caps=-all chroot --userspec=${USER}:${USER} "$root" "$@"`

function start(
  image: Image,
  environment: Record<string, string>,
  command: readonly string[] = image.config.Cmd ?? [],
  host = false,
) {
  const [volume = ''] = Object.keys(image.config.Volumes)
  const state = mkdtempSync(join(work, 'state-'))
  chownSync(state, USER, USER)
  const own = Object.fromEntries(
    image.config.Env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const env = { ...own, ...environment, HOST: host ? '1' : '', PATH: process.env['PATH'] ?? '' }
  const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child']
  const args = [...namespaces, 'bash', '-c', START, 'start', image.root, volume, state, ...image.config.Entrypoint, ...command]
  const child = spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit') as Promise<[number | null]>
  /** The program itself, process 1 of its namespace. */
  const pid = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim())
  return {
    state,
    output: () => output,
    hasEnded: () => child.exitCode !== null,
    status: () => readFileSync(`/proc/${pid()}/status`, 'utf8'),
    /** Exit code of the image's health check, in the namespaces of the program. */
    health: () => {
      const [, ...check] = image.config.Healthcheck?.Test ?? []
      const inside = ['-t', String(pid()), '-m', '-p', '-r', '-w', '--setuid', String(USER), '--setgid', String(USER), ...check]
      return spawnSync('nsenter', inside, { env, encoding: 'utf8' }).status
    },
    stop: async () => {
      process.kill(pid(), 'SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

describe.skipIf(isMissing('root', 'debootstrap', 'buildah', 'unshare', 'setpriv', 'nsenter', 'tar'))('the images', () => {
  let images: Record<'agent' | 'backend' | 'probe', Image>
  beforeAll(() => {
    execFileSync(process.execPath, ['installers/build/images.ts', '--base', debianTarball('bookworm')], {
      cwd: join(import.meta.dirname, '../../..'),
      stdio: 'inherit',
    })
    images = { agent: unpack('vedette-agent'), backend: unpack('vedette'), probe: unpack('vedette-probe') }
  }, 900_000)
  afterAll(async () => {
    // --kill-child ends the program with it.
    for (const child of children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(work, { recursive: true, force: true })
  })

  test.each([
    ['agent', 60],
    ['backend', 200],
    ['probe', 60],
  ] as const)('%s: at most %i MB, user 65532', (name, megabytes) => {
    const { config, megabytes: size } = images[name]
    expect(size).toBeLessThan(megabytes)
    expect(config.User).toBe('65532:65532')
    expect(config.Healthcheck).toBeDefined()
  })

  test('the backend starts with its database, is healthy, and ends at SIGTERM', async () => {
    const backend = start(images.backend, { VEDETTE_PORT: '18480', VEDETTE_HOST: '127.0.0.1' })
    await until(() => /^ready /m.test(backend.output()) || undefined)
    expect((await fetch('http://127.0.0.1:18480/readyz')).status).toBe(200)
    expect(backend.health()).toBe(0)
    expect(backend.status()).toMatch(/^Uid:\t65532\t65532[^]*^CapEff:\t0{16}$/m)
    expect(readdirSync(backend.state)).toContain('postgres')
    expect(await backend.stop()).toBe(0)
  }, 120_000)

  test('the agent reports the host, is healthy, and ends at SIGTERM', async () => {
    const backend = await startBackend()
    const registered = await fetch(`${backend.url}/v1/agent/register`, {
      method: 'POST',
      headers: { 'X-API-Key': backend.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        hostname: 'before',
        os: 'linux',
        kernel: '6',
        arch: 'x64',
        agent_version: '0.1.0',
        machine_id: 'a'.repeat(32),
      }),
    })
    const { server_id: id, token } = (await registered.json()) as { server_id: string; token: string }
    const agent = start(images.agent, { VEDETTE_AGENT_URL: backend.url, VEDETTE_AGENT_TOKEN: token }, ['run'], true)
    type Server = { status: string; hostname: string; container?: unknown }
    const server = await until(async () => {
      const found = (await backend.get(`/v1/servers/${id}`)) as Server
      return found.status === 'online' && found.hostname !== 'before' ? found : undefined
    })
    expect(server.hostname).toBe(readFileSync('/etc/hostname', 'utf8').trim())
    expect(agent.health()).toBe(0)
    expect(agent.status()).toMatch(/^Uid:\t65532\t65532[^]*^CapEff:\t0{16}$/m)
    expect(await agent.stop()).toBe(0)
    await backend.stop()
  }, 60_000)

  test('the probe gets the checks of its region, and ends at SIGTERM', async () => {
    const backend = await startBackend()
    const token = backend.command('region', 'add', 'eu-west', '--name', 'Europe').match(/vdt_prb_\w+/)?.[0] ?? ''
    const file = join(images.probe.root, 'region.token')
    writeFileSync(file, token, { mode: 0o400 })
    chownSync(file, USER, USER)
    const probe = start(images.probe, {}, ['--region', 'eu-west', '--url', backend.url, '--token-file', '/region.token'])
    await until(() => (probe.hasEnded() || probe.output().includes(' answers') ? true : undefined))
    expect(probe.output()).toContain(`${backend.url} answers`)
    expect(probe.health()).toBe(0)
    const answered = join(probe.state, 'probe/eu-west/answered')
    utimesSync(answered, 0, Date.now() / 1_000 - 130)
    expect(probe.health()).toBe(1)
    expect(probe.status()).toMatch(/^Uid:\t65532\t65532[^]*^CapEff:\t0{16}$/m)
    expect(await probe.stop()).toBe(0)
    await backend.stop()
  }, 60_000)
})
