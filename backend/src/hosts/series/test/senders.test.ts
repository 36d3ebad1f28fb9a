import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTool, freePort, isMissing } from '../../../../../scripts/test-tools.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

let backend: TestBackend
let reader: Credentials
let folder: string
let address: string
let key: string
let exporter: Server
/** By the name of a sender: how often it has read. */
const scraped = new Map<string, number>()

beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.now() })
  const organization = await backend.organization()
  reader = await backend.apiKey(organization, 'read')
  key = (await backend.apiKey(organization, 'ingest'))['x-api-key']
  address = `http://127.0.0.1:${await backend.listen()}`
  folder = await mkdtemp(join(tmpdir(), 'senders-'))
  exporter = createServer((request, response) => {
    const sender = request.url?.slice(1) ?? ''
    const count = (scraped.get(sender) ?? 0) + 1
    scraped.set(sender, count)
    response.setHeader('content-type', 'text/plain; version=0.0.4')
    response.end(
      `# HELP scrapes_total Scrapes\n# TYPE scrapes_total counter\nscrapes_total ${count}\n` +
        `# TYPE wait_seconds histogram\nwait_seconds_bucket{le="0.5"} ${count}\nwait_seconds_bucket{le="+Inf"} ${2 * count}\n` +
        `wait_seconds_sum ${count / 8}\nwait_seconds_count ${2 * count}\nuneven{text="a\\"b\\\\c ü"} ${count / 3}\n`,
    )
  }).listen(0, '127.0.0.1')
  await once(exporter, 'listening')
})
afterAll(async () => {
  exporter.close()
  await backend.close()
  await rm(folder, { recursive: true })
})

const query = async (query: string) => {
  const search = new URLSearchParams({ query, time: String(Date.now() / 1_000) }).toString()
  const { status, body } = await backend.call('GET', `/v1/prometheus/api/v1/query?${search}`, { as: reader })
  expect([status, body.error]).toEqual([200, undefined])
  return body.data.result as { metric: Record<string, string>; value: [number, string]; values: [number, string][] }[]
}
const countOf = async (job: string) => Number((await query(`count_over_time(scrapes_total{job="${job}"}[1h])`))[0]?.value[1] ?? 0)

/** Resolves once so many scrapes of the job are stored. */
async function stored(job: string, count: number, child: ChildProcess): Promise<void> {
  while ((await countOf(job)) < count) {
    if (child.exitCode !== null) throw new Error(`the sender ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const scrapeConfig = (job: string, remoteWrite = '') =>
  writeFile(
    join(folder, `${job}.yml`),
    `global: { scrape_interval: 200ms, scrape_timeout: 200ms }
scrape_configs:
  - job_name: ${job}
    metrics_path: /${job}
    static_configs: [{ targets: ['127.0.0.1:${(exporter.address() as AddressInfo).port}'] }]
${remoteWrite}`,
  )

/** What is stored of the job, once it is enough and the sender has ended. */
async function storedBy(job: string, child: ChildProcess) {
  const exited = once(child, 'exit')
  try {
    await stored(job, 10, child)
  } finally {
    child.kill()
    await exited
  }
  const [series, ...others] = await query(`scrapes_total{job="${job}"}[1h]`)
  // A sender that ends may mark the series as stale.
  const counts = (series?.values ?? []).map(([, value]) => Number(value)).filter((value) => !Number.isNaN(value))
  const halves = await query(`histogram_quantile(0.5, rate(wait_seconds_bucket{job="${job}"}[1h]))`)
  const [uneven] = await query(`last_over_time(uneven{job="${job}"}[1h]) * 3`)
  return {
    counts,
    others: others.length,
    halves: halves.map(({ value }) => value[1]),
    text: uneven?.metric['text'],
    isWhole: Number(uneven?.value[1]) >= counts.length - 1,
  }
}
/** Each scrape once, none left out, in order. */
const wanted = ({ counts: { length } }: Awaited<ReturnType<typeof storedBy>>) => ({
  counts: Array.from({ length }, (_, index) => index + 1),
  others: 0,
  halves: ['0.5'],
  text: 'a"b\\c ü',
  isWhole: true,
})

const newer = process.env['TEST_PROMETHEUS']
const versions = [
  { version: '1.0', message: 'prometheus.WriteRequest' },
  ...(newer ? [{ version: '2.0', message: 'io.prometheus.write.v2.Request' }] : []),
]

describe('what others send', () => {
  it.skipIf(isMissing('prometheus')).each(versions)(
    'of a Prometheus by remote write $version is stored sample by sample',
    async ({ version, message }) => {
      const job = `prometheus-${version.replace('.', '-')}`
      await scrapeConfig(
        job,
        `remote_write:
  - url: ${address}/v1/prometheus/api/v1/write
    authorization: { credentials: ${key} }
${newer ? `    protobuf_message: ${message}\n` : ''}    queue_config: { batch_send_deadline: 300ms }
    metadata_config: { send_interval: 1s }
`,
      )
      const options = {
        'config.file': join(folder, `${job}.yml`),
        'storage.tsdb.path': join(folder, job),
        'web.listen-address': `127.0.0.1:${await freePort()}`,
        'log.level': 'error',
      }
      const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
      const program = newer ? join(newer, 'prometheus') : (findTool('prometheus') as string)
      const found = await storedBy(job, spawn(program, given, { stdio: 'ignore' }))
      expect(found).toEqual(wanted(found))
    },
    60_000,
  )

  it.skipIf(isMissing('vmagent'))(
    'of a vmagent is stored sample by sample',
    async () => {
      await scrapeConfig('vmagent')
      const given = [
        `-promscrape.config=${join(folder, 'vmagent.yml')}`,
        `-remoteWrite.url=${address}/v1/prometheus/api/v1/write`,
        `-remoteWrite.headers=X-API-Key: ${key}`,
        `-remoteWrite.tmpDataPath=${join(folder, 'vmagent')}`,
        '-remoteWrite.flushInterval=300ms',
        `-httpListenAddr=127.0.0.1:${await freePort()}`,
        '-loggerLevel=ERROR',
      ]
      const found = await storedBy('vmagent', spawn(findTool('vmagent') as string, given, { stdio: 'ignore' }))
      expect(found).toEqual(wanted(found))
    },
    60_000,
  )
})
