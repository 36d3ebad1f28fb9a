import { win32 } from 'node:path'
import { BACKEND_VARIABLES, CLIENT_VARIABLES } from '@vedette/shared/environment-names'
import { CONFIG_VARIABLES, ConfigError, parseVariable } from './config.ts'
import type { AgentConfig } from './config-settings.ts'
import { messageOf } from '../process/log.ts'
import { type ProxyVariables, readProxyVariables } from '../push/proxy.ts'

/** Settings from the environment; they override the config file. */
export interface AgentEnvironment {
  configPath?: string
  stateDir?: string
  /** Secret; used by `register` only. */
  apiKey?: string
  /** Settings of the config file. */
  config: AgentConfig
  proxy?: ProxyVariables
}

const OWN_VARIABLES = { VEDETTE_CONFIG: 'configPath', VEDETTE_STATE_DIR: 'stateDir', VEDETTE_API_KEY: 'apiKey' } as const

const KNOWN = [...Object.keys(OWN_VARIABLES), ...CONFIG_VARIABLES.keys()].join(', ')

/** Variables of the backend, which may run on the same host: valid, but without effect here. */
const IGNORED_VARIABLES: ReadonlySet<string> = new Set([...BACKEND_VARIABLES, ...CLIENT_VARIABLES])

/** Throws a ConfigError with every unknown VEDETTE_ variable, so that typos are noticed. */
export function readEnvironment(variables: Record<string, string | undefined>): AgentEnvironment {
  const environment: AgentEnvironment = { config: {} }
  const proxy = readProxyVariables(variables)
  if (proxy) environment.proxy = proxy
  const faults: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    if (!name.startsWith('VEDETTE_') || IGNORED_VARIABLES.has(name)) continue
    const key = CONFIG_VARIABLES.get(name)
    const own = Object.hasOwn(OWN_VARIABLES, name) ? OWN_VARIABLES[name as keyof typeof OWN_VARIABLES] : undefined
    if (!key && !own) faults.push(`unknown environment variable ${name} (known: ${KNOWN})`)
    else if (!value) faults.push(`environment variable ${name} is empty: give it a value or remove it`)
    else if (own) environment[own] = value
    else if (key) faults.push(...readInto(environment.config, () => parseVariable(name, key, value)))
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return environment
}

function readInto(config: AgentConfig, read: () => AgentConfig): string[] {
  try {
    Object.assign(config, read())
    return []
  } catch (error) {
    return [messageOf(error)]
  }
}

/** Default paths of config file and state folder. */
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
