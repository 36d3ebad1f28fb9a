import type { Service, World } from './command.ts'
import { readSettings } from './database.ts'

async function startInstance(world: World, isWhole: boolean, signal: AbortSignal) {
  // The API is most of what there is to load; a process that only checks, or a command that ends, has no use for it.
  const { startVedette } = await import('../start.ts')
  const settings = readSettings(world)
  const { clock, version, processEnvironment, announce } = world
  return startVedette({
    settings: isWhole ? settings : { ...settings, localAgent: false },
    clock,
    log: world.createLog(settings.logLevel),
    version,
    environment: processEnvironment,
    announce,
    makesChecks: isWhole,
    signal,
  })
}

export const start: Service = {
  name: 'start',
  summary: 'everything on this host: database, API, page, checks and an agent (what `npm start` runs)',
  start: (world, signal) => startInstance(world, true, signal),
}

export const serve: Service = {
  name: 'serve',
  summary: 'the same without checks and without an agent for this host',
  start: (world, signal) => startInstance(world, false, signal),
}
