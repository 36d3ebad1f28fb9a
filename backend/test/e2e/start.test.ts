import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registration } from '../harness.ts'
import {
  ADMIN,
  agentStatus,
  call,
  firstSample,
  makeWorkbench,
  OWNER,
  pidOf,
  processesOf,
  report,
  type RunningVedette,
  signIn,
  STOP_MS,
  until,
} from './workbench.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('a start without settings', () => {
  let dataDir: string
  let vedette: RunningVedette
  let owner: { authorization: string }
  let serverId: string
  beforeAll(async () => {
    dataDir = join(bench.makeFolder(), 'data')
    vedette = await bench.start({ dataDir, byLauncher: true })
    report('first start to ready', vedette.readyMs)
  })

  test('says where, with the code by which the first person gets in [SETUP-01, SETUP-03, START-04]', async () => {
    expect(vedette.code).toMatch(/^[A-Za-z0-9]{16,}$/)
    // It comes right after the line that says that it is ready.
    await expect.poll(() => vedette.output()).toContain(dataDir)
    expect((await call(vedette.url, 'GET', '/v1/setup')).body).toEqual({ required: true })
    expect((await call(vedette.url, 'GET', '/readyz')).status).toBe(200)
    expect((await fetch(`${vedette.url}/?code=${vedette.code}`)).headers.get('content-type')).toContain('text/html')
  })

  test('makes the owner once, by the right code only; then this host is there within 15 s, with rates [SETUP-02, SETUP-03, SETUP-04]', async () => {
    const setUp = (code = '') => call(vedette.url, 'POST', '/v1/setup', {}, { ...OWNER, organization: 'Acme', code })
    expect((await setUp('wrong')).status).toBe(401)
    const beganAt = performance.now()
    const made = await setUp(vedette.code)
    expect(made.status).toBe(201)
    owner = { authorization: `Bearer ${made.body.token}` }
    expect((await setUp(vedette.code)).status).toBe(409)
    expect((await call(vedette.url, 'GET', '/v1/setup')).body).toEqual({ required: false })

    const server = await firstSample(vedette.url, owner)
    report('set-up to first sample', performance.now() - beganAt)
    serverId = server.id
    expect(server.status).toBe('online')
    expect(server.metrics).toMatchObject({
      cpu: { current_percent: expect.any(Number) },
      memory: { percent: expect.any(Number) },
      disk: { read_iops: expect.any(Number), usage_percent: expect.any(Number) },
      network: { rx_bytes_per_sec: expect.any(Number) },
      tcp: { established: expect.any(Number) },
    })
  })

  test('keeps its secrets from other users, and out of what it says [AGENT-23, AGENT-24, SECRET-02]', () => {
    expect(modeOf(dataDir)).toBe(process.getuid?.() === 0 ? '711' : '700')
    expect(modeOf(join(dataDir, 'agent'))).toBe('700')
    for (const file of ['secret.key', 'postgres.passwords.json', 'agent/identity.json', 'agent/agent.yaml'])
      expect([file, modeOf(join(dataDir, file))]).toEqual([file, '600'])
    const { token } = JSON.parse(readFileSync(join(dataDir, 'agent/identity.json'), 'utf8')) as { token: string }
    expect(vedette.output()).not.toContain(token)
    expect(vedette.output()).not.toContain(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim())
    expect(existsSync(join(dataDir, 'agent/bootstrap.key'))).toBe(false)
  })

  test('does not share its data folder', async () => {
    const same = await bench.runVedette({ dataDir }).ended
    expect(same).toMatchObject({ code: 1, output: expect.stringContaining('VEDETTE_DATA_DIR') })
    expect((await call(vedette.url, 'GET', '/readyz')).status).toBe(200)
  })

  test('ends at Ctrl-C within 10 s, and with it Postgres and the agent', async () => {
    expect(processesOf(dataDir).length).toBeGreaterThan(1)
    expect((await call(vedette.url, 'DELETE', `/v1/servers/${serverId}`, owner)).status).toBe(204)
    const pids = [pidOf.backend(dataDir), pidOf.postgres(dataDir), pidOf.agent(dataDir)]
    // Only Linux shows names of threads.
    const names = pids.map((pid) => (process.platform === 'linux' ? readFileSync(`/proc/${pid}/comm`, 'utf8') : ''))
    expect([names[0] || 'vedette\n', names[2] || 'vedette-agent\n']).toEqual(['vedette\n', 'vedette-agent\n'])
    const end = await vedette.stop('SIGINT')
    report('stop', end.ms)
    expect(end).toMatchObject({ code: 0, output: expect.stringMatching(/\nstopped\n$/) })
    expect(end.ms).toBeLessThan(STOP_MS)
    expect(processesOf(dataDir)).toEqual([])
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('started again it is the same; a host that was deleted before the stop stays deleted [AGENT-07]', async () => {
    vedette = await bench.start({ dataDir })
    report('next start to ready', vedette.readyMs)
    expect(vedette.code).toBeUndefined()
    // The session of before, and a new one.
    expect((await call(vedette.url, 'GET', '/v1/servers', owner)).status).toBe(200)
    owner = await signIn(vedette.url)
    await until(() => agentStatus(join(dataDir, 'agent'))?.state === 'refused', 40_000)
    expect((await call(vedette.url, 'GET', '/v1/servers', owner)).body.total).toBe(0)
    expect(vedette.output()).not.toContain('is registered')
    await expect.poll(() => vedette.output(), { timeout: 20_000 }).toContain('the server of the local agent was deleted')
    expect((await vedette.stop('SIGTERM')).code).toBe(0)
    expect(processesOf(dataDir)).toEqual([])
  })
})

describe('a start that cannot be, and then one with an owner in the settings', () => {
  const folder = bench.makeFolder()
  const dataDir = join(folder, 'data')
  const keyFile = join(folder, 'agent.key')
  const environment = { ...ADMIN, VEDETTE_LOCAL_AGENT: 'off', VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile }

  test('names every wrong setting at once, and touches nothing [START-13, START-14]', async () => {
    const wrong = { VEDETTE_PORT: '80.5', VEDETTE_PROT: '80', VEDETTE_LOCAL_AGENT: 'yes', VEDETTE_TLS_CERT_FILE: '/c.pem' }
    const { code, output } = await bench.runVedette({ dataDir, environment: wrong }).ended
    expect(code).toBe(2)
    for (const name of [...Object.keys(wrong), 'VEDETTE_TLS_KEY_FILE'])
      expect(output).toMatch(new RegExp(`^ {2}- .*${name}`, 'm'))
    expect(existsSync(dataDir)).toBe(false)
  })

  test('ends at a Ctrl-C in the middle of the first start', async () => {
    const program = bench.runVedette({ dataDir, byLauncher: true })
    await until(() => existsSync(join(dataDir, 'runtime')), 30_000, 5)
    const stopAtMs = performance.now()
    process.kill(program.pid, 'SIGINT')
    expect((await program.ended).code).toBe(0)
    expect(performance.now() - stopAtMs).toBeLessThan(STOP_MS)
    expect(processesOf(dataDir)).toEqual([])
  })

  test('names the setting for a port that is in use, and leaves nothing running [START-19]', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const refused = await bench.runVedette({ dataDir, environment: { ...environment, VEDETTE_PORT: String(port) } }).ended
    taken.close()
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/Port \d+ .* in use.*VEDETTE_PORT/) })
    expect(processesOf(dataDir)).toEqual([])
  })

  test('needs no code, and writes an API key for hosts, once [START-07, START-25, START-26]', async () => {
    const first = await bench.start({ dataDir, environment })
    expect(first.code).toBeUndefined()
    expect((await call(first.url, 'GET', '/v1/setup')).body).toEqual({ required: false })
    await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8') !== '', 30_000)
    expect(modeOf(keyFile)).toBe('600')
    const key = readFileSync(keyFile, 'utf8').trim()
    const register = (url: string, machine: string) =>
      call(url, 'POST', '/v1/agent/register', { 'x-api-key': key }, registration(machine))
    expect((await register(first.url, 'host-1')).status).toBe(201)
    expect((await first.stop()).code).toBe(0)

    rmSync(keyFile)
    const second = await bench.start({ dataDir, environment })
    await delay(1_200) // twice as long as the key took to be written, had it been due
    expect(existsSync(keyFile)).toBe(false)
    expect((await register(second.url, 'host-2')).status).toBe(201)
    expect((await call(second.url, 'GET', '/v1/servers', await signIn(second.url))).body.total).toBe(2)
    expect((await second.stop()).code).toBe(0)
  })

  test('refuses another secret on the same database, with the cure [SECRET-04]', async () => {
    const other = { ...environment, VEDETTE_SECRET_KEYS: 'another secret that has more than 32 bytes' }
    const refused = await bench.runVedette({ dataDir, environment: other }).ended
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/another secret.*secret\.key.*VEDETTE_SECRET_KEYS/) })
    expect(processesOf(dataDir)).toEqual([])
  })
})
