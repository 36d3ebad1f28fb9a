/**
 * Remote write into series: what it costs, what it stores, and how long reads take.
 *
 *   npm run bench -- series [--series 50000] [--scrapes 10] [--paced 30] [--churned 30000] [--every 10]
 *     [--parts write,stored,churn] [--profile FOLDER]
 *
 * `vedette serve` on an embedded Postgres of its own receives what a node_exporter of this machine says: 100 scrapes are recorded in
 * half a minute, and each host of a fleet goes on from them with changes of its own. In the same run VictoriaMetrics and Prometheus
 * receive the same requests.
 *
 * - write: --series series, first --scrapes scrapes as fast as they go in requests of 2,000 samples, then at the pace of a scrape each
 *   15 s, then requests of 500 samples at half of it.
 * - stored: of one host a UTC day, of each tenth series (--every 10; --every 1 takes ten times as long), as it was pushed, in hours and
 *   in days; a week of 20 series; an hour of 2,000 series.
 * - churn: --churned series that live ten minutes, 5,000 at a time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBackend } from '../lib/backend.ts'
import { startNodeExporter, startPrometheusReceiver, startVictoria } from '../lib/peers.ts'
import { endCalls } from '../lib/queries.ts'
import { type Figure, printFigures } from '../lib/result.ts'
import { measureChurn } from './churn.ts'
import { recordScrapes } from './recording.ts'
import { busy } from './requests.ts'
import { measureStored } from './stored.ts'
import { createWorld } from './world.ts'
import { measureWrites } from './write.ts'

const { values } = parseArgs({
  options: {
    series: { type: 'string', default: '50000' },
    scrapes: { type: 'string', default: '10' },
    paced: { type: 'string', default: '30' },
    churned: { type: 'string', default: '30000' },
    every: { type: 'string', default: '10' },
    parts: { type: 'string', default: 'write,stored,churn' },
    profile: { type: 'string' },
  },
})
const RECORDED = 100
const parts = values.parts.split(',')
const folder = mkdtempSync(join(tmpdir(), 'vedette-series-'))
const exporter = await startNodeExporter()
if (!exporter) throw new Error('the values come from a node_exporter')
const recorded = await recordScrapes(exporter, RECORDED)
await exporter.stop()
const backend = await startBackend(
  'serve',
  values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
  {
    VEDETTE_ACTIVE_SERIES: '2000000',
  },
)
const world = await createWorld(backend)
const peers = parts.includes('write')
  ? [
      { name: 'VictoriaMetrics', peer: await startVictoria(folder) },
      { name: 'Prometheus', peer: await startPrometheusReceiver(folder) },
    ]
  : []
try {
  const figures: Figure[] = []
  let details = {}
  if (parts.includes('write'))
    figures.push(
      ...(await measureWrites(world, peers, recorded, {
        series: Number(values.series),
        scrapes: Number(values.scrapes),
        pacedSeconds: Number(values.paced),
      })),
    )
  if (parts.includes('stored')) {
    const stored = await measureStored(
      world,
      recorded.filter((_, index) => index % Number(values.every) === 0),
    )
    figures.push(...stored.figures)
    details = stored.details
  }
  if (parts.includes('churn')) figures.push(...(await measureChurn(world, Number(values.churned))))
  const size = { series: values.series, scrapes: values.scrapes, everySeries: values.every, churned: values.churned }
  printFigures(figures, { size, recordedSeries: recorded.length, busyAnswers: busy.answers, ...details })
} finally {
  endCalls()
  await world.end()
  for (const { peer } of peers) await peer?.stop()
  await backend.stop()
  rmSync(folder, { recursive: true, force: true })
}
