import { win32 } from 'node:path'
import { BACKEND_VARIABLES } from '@vedette/shared/environment-names'
import { ConfigError } from './config.ts'

/** What the agent takes from its environment; it goes before the config file. */
export interface AgentEnvironment {
  configPath?: string
  stateDir?: string
  /** Secret; used by `register` only. */
  apiKey?: string
}

const OWN = { VEDETTE_CONFIG: 'configPath', VEDETTE_STATE_DIR: 'stateDir', VEDETTE_API_KEY: 'apiKey' } as const

/** Names of the backend, which may share this shell or host: known, and of no effect here. */
const OTHERS: ReadonlySet<string> = new Set(BACKEND_VARIABLES)

/** Throws a ConfigError that names every VEDETTE_ variable that no program knows: a typo must not pass silently. */
export function readEnvironment(variables: Record<string, string | undefined>): AgentEnvironment {
  const environment: AgentEnvironment = {}
  const faults: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    if (!name.startsWith('VEDETTE_') || OTHERS.has(name)) continue
    if (!Object.hasOwn(OWN, name)) faults.push(`unknown environment variable ${name} (known: ${Object.keys(OWN).join(', ')})`)
    else if (!value) faults.push(`environment variable ${name} is empty: give it a value or remove it`)
    else environment[OWN[name as keyof typeof OWN]] = value
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return environment
}

/** Where this system keeps the config file and the state, when nothing else is said. */
export function defaultPaths(platform: NodeJS.Platform, programData: string | undefined): { config: string; state: string } {
  if (platform === 'win32') {
    const folder = win32.join(programData ?? 'C:\\ProgramData', 'Vedette')
    return { config: win32.join(folder, 'agent.yaml'), state: win32.join(folder, 'state') }
  }
  if (platform === 'darwin') {
    const folder = '/Library/Application Support/Vedette'
    return { config: `${folder}/agent.yaml`, state: `${folder}/state` }
  }
  return { config: '/etc/vedette/agent.yaml', state: '/var/lib/vedette' }
}
