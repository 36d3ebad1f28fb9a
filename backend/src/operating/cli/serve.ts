import type { Service, CommandContext } from './command.ts'
import { readSettings } from './database.ts'

async function startInstance(context: CommandContext, isWhole: boolean, signal: AbortSignal) {
  // Loaded late: the API is most of the code, and tasks and workers do not need it.
  const { startVedette } = await import('../../start.ts')
  const settings = readSettings(context)
  const { clock, version, processEnvironment, announce } = context
  return startVedette({
    settings: isWhole ? settings : { ...settings, localAgent: false },
    clock,
    log: context.createLog(settings.logLevel),
    version,
    environment: processEnvironment,
    announce,
    makesChecks: isWhole,
    signal,
  })
}

export const start: Service = {
  name: 'start',
  summary: 'run everything: database, API, dashboard, checks and an agent for this host (as `npm start` does)',
  start: (context, signal) => startInstance(context, true, signal),
}

export const serve: Service = {
  name: 'serve',
  summary: 'run as `vedette start` does, but without checks and without the agent',
  start: (context, signal) => startInstance(context, false, signal),
}
