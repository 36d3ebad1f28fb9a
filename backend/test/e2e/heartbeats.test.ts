import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { isMissing, requiresAll } from '../../../scripts/test-tools.ts'
import type { Loose } from '../answer.ts'
import { ADMIN, call, makeWorkbench, pidOf, REPOSITORY, type RunningVedette, signIn, until } from './workbench.ts'

const bench = makeWorkbench()
const dataDir = join(bench.makeFolder(), 'data')
const environment = { ...ADMIN, VEDETTE_RATE_LIMITS: 'off', VEDETTE_LOCAL_AGENT: 'off' }

let vedette: RunningVedette
let as: { authorization: string }
beforeAll(async () => {
  vedette = await bench.start({ dataDir, environment })
  as = await signIn(vedette.url)
})
afterAll(() => bench.cleanUp())

const make = async (name: string, schedule: object, credentials: object = {}): Promise<Loose> => {
  const given = { name, type: 'heartbeat', url: 'heartbeat://', options: { schedule }, credentials }
  return (await call(vedette.url, 'POST', '/v1/monitors', as, given)).body
}
const read = async (id: string): Promise<Loose> => (await call(vedette.url, 'GET', `/v1/monitors/${id}`, as)).body
const outcomes = async (id: string): Promise<string[]> =>
  (await read(id)).recent_checks.map(({ outcome }: { outcome: string }) => outcome)
/** The address of pings at the port of the present start. */
const addressOf = ({ ping_url: url }: { ping_url: string }) => `${new URL(vedette.url).origin}${new URL(url).pathname}`
const HOURLY = { period_seconds: 3_600, grace_seconds: 60 }

describe.skipIf(isMissing('curl'))('curl', () => {
  const curl = (...args: string[]) => spawnSync('curl', ['-fsS', '-m', '10', ...args], { encoding: 'utf8' })

  it('sends pings with and without a body, and sees the refusal of an unknown address', async () => {
    const monitor = await make('curl', HOURLY)
    expect(curl(addressOf(monitor)).stdout).toBe('OK')
    expect(curl('--head', addressOf(monitor)).stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*ping-body-limit: 10000\r\n/)
    expect(curl('--data-raw', 'disk full', `${addressOf(monitor)}/fail`).stdout).toBe('OK')
    expect(await read(monitor.id)).toMatchObject({ status: 'down' })
    expect(curl('--data-binary', '@/bin/sh', `${addressOf(monitor)}/$?`.replace('$?', '0')).stdout).toBe('OK')
    expect(await read(monitor.id)).toMatchObject({ status: 'up' })
    expect(curl(`${addressOf(monitor)}x`).status).toBe(22)
    const { body } = await call(vedette.url, 'GET', `/v1/monitors/${monitor.id}/pings`, as)
    expect(body.pings.map(({ kind, method }: Loose) => `${method} ${kind}`)).toEqual([
      'POST success',
      'POST fail',
      'HEAD success',
      'GET success',
    ])
  })
})

const BORGMATIC = join(REPOSITORY, 'node_modules/.cache/borgmatic')

/** True, with a message, where the hooks of borgmatic cannot run; `scripts/fetch-borgmatic.sh` fetches them. */
function isBorgmaticMissing(): boolean {
  const canRun = spawnSync('python3', ['-c', 'import requests']).status === 0
  if (canRun && existsSync(join(BORGMATIC, 'borgmatic/hooks/monitoring/uptime_kuma.py'))) return false
  const missing = 'the hooks of borgmatic (scripts/fetch-borgmatic.sh), or python3-requests'
  if (requiresAll()) throw new Error(`TEST_REQUIRE_ALL is set; missing on this machine: ${missing}`)
  console.warn(`skipped, missing on this machine: ${missing}`)
  return true
}

describe.skipIf(isBorgmaticMissing())("borgmatic's unmodified hook", () => {
  /** Runs a hook as borgmatic does at the states of a backup; its log is the body. */
  const hook = (name: 'healthchecks' | 'uptime_kuma', config: object, ...states: string[]) => {
    const script = `
import json, logging, sys
from borgmatic.hooks.monitoring import ${name} as hook, monitor
config = json.loads(sys.argv[1])
logging.getLogger().setLevel(logging.INFO)
logging.getLogger().addHandler(logging.StreamHandler())
hook.initialize_monitor(config, {}, 'test.yaml', logging.INFO, False)
for state in sys.argv[2:]:
    logging.getLogger('borgmatic').info('archive of /home is complete')
    hook.ping_monitor(config, {}, 'test.yaml', monitor.State[state], logging.INFO, False)
hook.destroy_monitor(config, {}, logging.INFO, False)
`
    const { stderr, status } = spawnSync('python3', ['-c', script, JSON.stringify(config), ...states], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: BORGMATIC },
    })
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('error')])
  }

  it('of Healthchecks turns a monitor red and green, with its log as evidence', async () => {
    const monitor = await make('borgmatic', HOURLY, { token: '5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278' })
    hook('healthchecks', { ping_url: addressOf(monitor) }, 'START', 'FAIL')
    expect(await read(monitor.id)).toMatchObject({ status: 'down' })
    hook('healthchecks', { ping_url: addressOf(monitor) }, 'START', 'LOG', 'FINISH')
    const details = await read(monitor.id)
    expect(details).toMatchObject({ status: 'up', recent_checks: [{ outcome: 'up' }, { outcome: 'down' }] })
    expect(details.recent_checks[0].response_ms).toBeGreaterThan(0)
    const { body } = await call(vedette.url, 'GET', `/v1/monitors/${monitor.id}/pings`, as)
    expect(body.pings.map(({ kind }: Loose) => kind)).toEqual(['success', 'log', 'start', 'fail', 'start'])
    expect(body.pings[0]).toMatchObject({
      user_agent: 'borgmatic',
      method: 'POST',
      body: expect.stringContaining('archive of /home is complete'),
    })
  })

  it('of Healthchecks makes a monitor by its name', async () => {
    const { body } = await call(vedette.url, 'PUT', '/v1/ping-key', as, {})
    const ping_url = `${new URL(vedette.url).origin}/ping/${body.ping_key}/made-by-borgmatic`
    hook('healthchecks', { ping_url, create_slug: true }, 'FINISH')
    const list = await call(vedette.url, 'GET', '/v1/monitors?q=made-by-borgmatic', as)
    expect(list.body.monitors).toMatchObject([{ type: 'heartbeat', status: 'up' }])
  })

  it('of Uptime Kuma turns a monitor red and green', async () => {
    const monitor = await make('kuma', HOURLY, { token: 'abcd1234EFGH' })
    const push_url = `${new URL(vedette.url).origin}/api/push/abcd1234EFGH`
    hook('uptime_kuma', { push_url }, 'START', 'FAIL')
    expect(await read(monitor.id)).toMatchObject({ status: 'down' })
    hook('uptime_kuma', { push_url }, 'FINISH')
    expect(await read(monitor.id)).toMatchObject({ status: 'up' })
    expect(await outcomes(monitor.id)).toEqual(['up', 'down', 'up'])
  })
})

test('a job that ran while the backend was killed and started again is not missed, and one that stops afterwards is', async () => {
  const monitor = await make('cron', { period_seconds: 10, grace_seconds: 2 })
  const answer = await fetch(addressOf(monitor))
  expect(await answer.text()).toBe('OK')
  // Acknowledged, so it survives what comes now.
  process.kill(pidOf.backend(dataDir), 'SIGKILL')
  await vedette.stop()
  // The next ping is due now, and the deadline passes.
  await delay(20_000)
  vedette = await bench.start({ dataDir, environment })
  as = await signIn(vedette.url)
  await until(async () => (await outcomes(monitor.id)).length > 1, 30_000)
  expect(await outcomes(monitor.id)).toEqual(['inconclusive', 'up'])
  expect(await read(monitor.id)).toMatchObject({ status: 'up' })
  await until(async () => (await read(monitor.id)).status === 'down', 60_000)
  expect((await outcomes(monitor.id)).slice(-3)).toEqual(['down', 'inconclusive', 'up'])
  const { body } = await call(vedette.url, 'GET', `/v1/monitors/${monitor.id}/transitions`, as)
  expect(body.transitions[0].reason).toMatch(/^no ping since .* UTC \(expected every 10 seconds, 2 seconds of grace\)$/)
})
