import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findTool, freePort } from '../../../../../scripts/test-tools.ts'
import type { QueryWindow, SeriesData } from '../model/types.ts'
import { toOpenMetrics } from './dataset.ts'

export interface RealPrometheus {
  version: string
  address: string
  /** The body of its answer. */
  query(expression: string, window: QueryWindow): Promise<ApiAnswer>
  close(): Promise<void>
}

export interface ApiAnswer {
  status: 'success' | 'error'
  data?: { resultType: string; result: unknown }
  errorType?: string
  error?: string
  warnings?: string[]
  infos?: string[]
}

const run = promisify(execFile)
/** A folder with programs to take instead of those of the system. */
const toolPath = (name: string): string => {
  const folder = process.env['TEST_PROMETHEUS']
  return folder === undefined ? (findTool(name) ?? name) : join(folder, name)
}

export async function versionOfPrometheus(): Promise<string> {
  const { stdout, stderr } = await run(toolPath('prometheus'), ['--version'])
  return /version (\S+)/.exec(stdout + stderr)?.[1] ?? 'unknown'
}

/** A Prometheus on loopback that has the given series in its blocks and scrapes nothing. */
export async function startPrometheus(series: readonly SeriesData[]): Promise<RealPrometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'promql-'))
  await writeFile(join(folder, 'samples'), toOpenMetrics(series))
  await writeFile(join(folder, 'config.yml'), '')
  await run(toolPath('promtool'), ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'samples'), join(folder, 'data')])
  const address = `127.0.0.1:${await freePort()}`
  const options = {
    'config.file': join(folder, 'config.yml'),
    'storage.tsdb.path': join(folder, 'data'),
    'storage.tsdb.retention.time': '100y',
    'web.listen-address': address,
    'log.level': 'error',
    // For limitk.
    'enable-feature': 'promql-experimental-functions',
  }
  const child = spawn(
    toolPath('prometheus'),
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    { stdio: 'ignore' },
  )
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    version: await versionOfPrometheus(),
    address,
    async query(expression, { startMs, endMs, stepMs }) {
      const parameters: Record<string, string> =
        stepMs === 0
          ? { query: expression, time: `${startMs / 1_000}` }
          : { query: expression, start: `${startMs / 1_000}`, end: `${endMs / 1_000}`, step: `${stepMs / 1_000}` }
      const path = stepMs === 0 ? 'query' : 'query_range'
      const answer = await fetch(`http://${address}/api/v1/${path}`, { method: 'POST', body: new URLSearchParams(parameters) })
      return (await answer.json()) as ApiAnswer
    },
    async close() {
      child.kill()
      await exited
      await rm(folder, { recursive: true })
    },
  }
}
