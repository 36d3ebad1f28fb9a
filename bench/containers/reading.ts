/** A program: reads containers once a second as the agent does before a push. Arguments: root of the host, readings, socket. */
import { readFileSync } from 'node:fs'
import { pause, systemClock } from '../../agent/src/process/clock.ts'
import { EntityCollector } from '../../agent/src/entities/collector.ts'
import { createContainerSources } from '../../agent/src/entities/containers/create.ts'
import { messageOf } from '../../agent/src/process/log.ts'
import { median } from '../lib/processes.ts'

const [hostRoot = '', readings = '', address = ''] = process.argv.slice(2)
const sources = address === '' ? [] : createContainerSources(systemClock, { hostRoot, containerSockets: [address] })
const log = (_level: string, message: string, fields?: object) => console.error(message, fields)
const collector = new EntityCollector({ clock: systemClock, log, sources })

async function read(): Promise<{ cpuMs: number; entities: number }> {
  await pause(systemClock, 1_000)
  const before = process.cpuUsage()
  const entities = await collector.read(Number.MAX_SAFE_INTEGER)
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1_000, entities: entities.length }
}

try {
  // Both programs have it in memory, as the agent has for its pushes.
  process.getBuiltinModule('node:http')
  await collector.prime()
  // The first two list and describe the containers.
  await read()
  await read()
  const measured = []
  for (let reading = 0; reading < Number(readings); reading++) measured.push(await read())
  globalThis.gc?.()
  const anonKb = /RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  const cpuMs = median(measured.map((one) => one.cpuMs))
  console.log(JSON.stringify({ cpuMs, anonMb: Number(anonKb) / 1_024, entities: measured[0]?.entities ?? 0 }))
  process.exit(0)
} catch (error) {
  console.error(messageOf(error))
  process.exit(1)
}
