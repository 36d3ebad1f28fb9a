import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../scripts/test-tools.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

let backend: TestBackend
let admin: Credentials
let address: string
let folder: string
const children: ChildProcess[] = []
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
  address = `http://127.0.0.1:${await backend.listen()}`
})
afterAll(() => backend.close())
beforeEach(async () => {
  admin = await backend.apiKey(await backend.organization(), 'admin')
  folder = mkdtempSync(join(tmpdir(), 'alert-programs-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill()
    await ended
  }
  rmSync(folder, { recursive: true })
})

const tokenOf = async (type: string): Promise<string> =>
  (await backend.call('POST', '/v1/alert-sources', { as: admin, body: { name: type, type } })).body.token
interface Incident {
  status: string
  summary: string
  severity: string
  labels: Record<string, string>
}
/** By the time of the programs, which have a clock of their own. */
async function incidents(): Promise<Incident[]> {
  backend.clock.advance(Math.max(0, Date.now() - backend.clock.now()))
  return (await backend.call('GET', '/v1/incidents', { as: admin })).body.incidents
}
const statuses = async () => (await incidents()).map(({ status }) => status)
const write = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
function run(tool: string, ...args: string[]): ChildProcess {
  const child = spawn(findTool(tool) ?? '', args, { stdio: 'ignore' })
  children.push(child)
  return child
}
const ready = (url: string) =>
  expect
    .poll(
      () =>
        fetch(url).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(200)

/** A rule that fires for some seconds, with what sends its alerts to this. */
async function startPrometheus(alertmanagers: string): Promise<string> {
  const until = Math.ceil(Date.now() / 1_000) + 8
  const port = await freePort()
  write('rules.yml', RULES(until))
  const config = write(
    'prometheus.yml',
    `global: { evaluation_interval: 500ms }\nrule_files: [rules.yml]\nalerting:\n  alertmanagers:\n    - ${alertmanagers}\n`,
  )
  run(
    'prometheus',
    `--config.file=${config}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--rules.alert.resend-delay=500ms',
  )
  await ready(`http://127.0.0.1:${port}/-/ready`)
  return `http://127.0.0.1:${port}`
}
const RULES = (until: number) => `groups:
  - name: test
    interval: 500ms
    rules:
      - alert: Slow
        expr: vector(time()) < ${until}
        labels: { severity: page, team: shop }
        annotations: { summary: The shop is slow, description: since noon }
`
const target = (prefix: string, url = address) =>
  `{ path_prefix: ${prefix}, static_configs: [{ targets: ['${new URL(url).host}'] }] }`
const FIRED = [{ status: 'open', summary: 'The shop is slow', severity: 'critical', labels: { alertname: 'Slow', team: 'shop' } }]
/** Until the alert has opened an incident, and ended it. */
async function seen(count = 1): Promise<Incident[]> {
  await expect.poll(statuses, { timeout: 30_000 }).toHaveLength(count)
  const opened = await incidents()
  await expect.poll(statuses, { timeout: 60_000 }).toEqual(opened.map(() => 'resolved'))
  return opened
}

describe('alerts of real programs', () => {
  it.skipIf(isMissing('prometheus'))(
    'Prometheus sends an alert and its end by the API of Alertmanager',
    { timeout: 120_000 },
    async () => {
      await startPrometheus(target(`/v1/in/alertmanager/${await tokenOf('alertmanager_api')}`))
      expect(await seen()).toMatchObject(FIRED)
    },
  )

  it.skipIf(isMissing('vmalert') || isMissing('prometheus'))('vmalert does the same', { timeout: 120_000 }, async () => {
    const token = await tokenOf('alertmanager_api')
    const data = await startPrometheus(target('/nowhere', 'http://127.0.0.1:9'))
    run(
      'vmalert',
      `-rule=${write('vmalert.yml', RULES(Math.ceil(Date.now() / 1_000) + 8))}`,
      `-datasource.url=${data}`,
      `-notifier.url=${address}/v1/in/alertmanager/${token}`,
      '-evaluationInterval=500ms',
      `-httpListenAddr=127.0.0.1:${await freePort()}`,
    )
    expect(await seen()).toMatchObject(FIRED)
  })

  it.skipIf(isMissing('prometheus-alertmanager') || isMissing('prometheus'))(
    'the webhook of a real Alertmanager opens the same incidents as the API',
    { timeout: 120_000 },
    async () => {
      const [webhook, direct, port] = [await tokenOf('alertmanager'), await tokenOf('alertmanager_api'), await freePort()]
      const receiver = `{ name: vedette, webhook_configs: [{ url: '${address}/v1/in/${webhook}', send_resolved: true }] }`
      const route = '{ receiver: vedette, group_wait: 0s, group_interval: 1s }'
      const config = write('alertmanager.yml', `route: ${route}\nreceivers: [${receiver}]\n`)
      run(
        'prometheus-alertmanager',
        `--config.file=${config}`,
        `--storage.path=${folder}/alertmanager`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
      )
      await ready(`http://127.0.0.1:${port}/-/ready`)
      await startPrometheus(`${target('/', `http://127.0.0.1:${port}`)}\n    - ${target(`/v1/in/alertmanager/${direct}`)}`)
      const [one, other] = await seen(2)
      const { id: _one, origin: _origin, ...first } = one as Incident & { id: string; origin: object }
      expect(other).toMatchObject({ summary: first.summary, severity: first.severity, labels: first.labels, status: 'open' })
    },
  )

  it.skipIf(isMissing('amtool'))('amtool lists alerts, and adds, lists and ends silences', { timeout: 60_000 }, async () => {
    const token = await tokenOf('alertmanager_api')
    const amtool = async (...args: string[]) => {
      const url = `--alertmanager.url=${address}/v1/in/alertmanager/${token}`
      return (await promisify(execFile)(findTool('amtool') ?? '', [url, ...args])).stdout.trim()
    }
    await incidents()
    const endsAt = new Date(Date.now() + 600_000).toISOString()
    await backend.call('POST', `/v1/in/alertmanager/${token}/api/v2/alerts`, {
      body: ['Disk', 'CPU'].map((alertname) => ({ labels: { alertname }, annotations: { summary: alertname }, endsAt })),
    })
    const names = async (...args: string[]) =>
      (JSON.parse(await amtool('alert', 'query', '-o', 'json', ...args)) as Incident[])
        .map(({ labels }) => labels['alertname'] ?? '')
        .toSorted()
    expect(await names()).toEqual(['CPU', 'Disk'])
    expect(await names('alertname=~"D.*"')).toEqual(['Disk'])
    const id = await amtool('silence', 'add', '--author=ada', '--comment=replaced', '--duration=1h', 'alertname=Disk')
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await incidents()
    expect(await names()).toEqual(['CPU'])
    expect(await names('--silenced')).toEqual(['Disk'])
    expect(await amtool('silence', 'query', '-q')).toBe(id)
    expect(await amtool('silence', 'query', 'alertname=Disk')).toContain('replaced')
    await amtool('silence', 'expire', id)
    await incidents()
    expect(await amtool('silence', 'query', '-q')).toBe('')
    expect(await names()).toEqual(['CPU', 'Disk'])
    await expect(amtool('silence', 'add', '--author=ada', '--comment=x', 'alertname!=Disk')).rejects.toThrow(/must be true/)
    expect(await amtool('config', 'show')).toContain('alertmanager_api')
  })
})
