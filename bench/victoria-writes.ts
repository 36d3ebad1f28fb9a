import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cut, lifeColumns } from './life-samples.ts'
import { startVictoria } from './peers.ts'
import { cpuOf } from './processes.ts'
import { toRemoteWrite } from './remote-write.ts'

const SAMPLES = 6
const VARIANTS = 60
const WARM_UP = 0.2

/**
 * µs of CPU of VictoriaMetrics for a remote write of six samples of all fields, as many hosts as connections, a minute later with each;
 * undefined where it is not installed. It answers before they are on disk. The clients' CPU is not counted.
 */
export async function remoteWriteUs(hosts: number, rounds: number): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-writes-'))
  const victoria = await startVictoria(folder)
  if (!victoria) return undefined
  const agent = new Agent({ keepAlive: true, maxSockets: hosts })
  const startMs = Date.now() - rounds * 60_000
  const life = lifeColumns(1, 0, SAMPLES * VARIANTS)
  const write = (host: number, round: number) => {
    const from = (round % VARIANTS) * SAMPLES
    const columns = cut(life, from, from + SAMPLES)
    const atMs = columns.atMs.map((_, index) => startMs + round * 60_000 + index * 10_000)
    return send(victoria.port, agent, toRemoteWrite(`bench-${host}`, { ...columns, atMs }))
  }
  try {
    const first = Math.floor(rounds * WARM_UP)
    let before = 0
    for (let round = 0; round < rounds; round += 1) {
      if (round === first) before = cpuOf(victoria.pid)
      await Promise.all(Array.from({ length: hosts }, (_, host) => write(host, round)))
    }
    return ((cpuOf(victoria.pid) - before) / ((rounds - first) * hosts)) * 1e6
  } finally {
    agent.destroy()
    await victoria.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function send(port: number, agent: Agent, body: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy', 'content-length': body.length }
  const sent = request({ host: '127.0.0.1', port, path: '/api/v1/write', method: 'POST', agent, headers }, (answer) => {
    answer.resume()
    answer.once('end', () => (answer.statusCode === 204 ? resolve() : reject(new Error(`remote write: ${answer.statusCode}`))))
  })
  sent.once('error', reject)
  sent.end(body)
  return promise
}
