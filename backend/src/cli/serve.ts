import { startVedette } from '../start.ts'
import type { Service, World } from './command.ts'
import { readSettings } from './database.ts'

function startInstance(world: World, withAgent: boolean, signal: AbortSignal) {
  const settings = readSettings(world)
  const { clock, version, processEnvironment, announce } = world
  return startVedette({
    settings: withAgent ? settings : { ...settings, localAgent: false },
    clock,
    log: world.createLog(settings.logLevel),
    version,
    environment: processEnvironment,
    announce,
    signal,
  })
}

export const start: Service = {
  name: 'start',
  summary: 'everything on this host: database, API, page and an agent (what `npm start` runs)',
  start: (world, signal) => startInstance(world, true, signal),
}

export const serve: Service = {
  name: 'serve',
  summary: 'the same without an agent for this host',
  start: (world, signal) => startInstance(world, false, signal),
}
