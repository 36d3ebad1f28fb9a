import { readFileSync } from 'node:fs'
import { ConfigError, readConfig, refusalOfUrl } from './config.ts'
import type { AgentConfig } from './config-settings.ts'
import type { AgentEnvironment } from './environment.ts'
import { type Identity, readIdentity } from '../process/identity.ts'
import { messageOf } from '../process/log.ts'
import type { ProxyVariables } from '../push/proxy.ts'
import type { Credentials } from '../push/pusher.ts'
import type { TransportOptions } from '../push/transport.ts'

export interface Settings {
  configPath: string
  stateDir: string
  config: AgentConfig
  proxy?: ProxyVariables | undefined
}

/** Reads the settings: the command line overrides the environment, which overrides the file. */
export async function readSettings(
  environment: AgentEnvironment,
  defaults: { config: string; state: string },
  configOption: string | undefined,
): Promise<Settings> {
  const configPath = configOption ?? environment.configPath ?? defaults.config
  const config = { ...(await readConfig(configPath)), ...environment.config }
  return { configPath, config, stateDir: environment.stateDir ?? config.stateDir ?? defaults.state, proxy: environment.proxy }
}

/** Trusted certificates and proxy; throws a ConfigError if `ca_file` cannot be read. */
export function transportOptions({ config, proxy }: Settings): TransportOptions {
  const { caFile, certificateFingerprint: fingerprint } = config
  return {
    ...(proxy && { proxy }),
    ...(caFile !== undefined && { ca: readAuthorities(caFile) }),
    ...(fingerprint !== undefined && { fingerprint }),
  }
}

function readAuthorities(path: string): string {
  try {
    const pem = readFileSync(path, 'utf8')
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  } catch (error) {
    throw new ConfigError([`ca_file: ${messageOf(error)}`])
  }
  throw new ConfigError([`ca_file: ${path} contains no certificate in PEM format`])
}

/** Address of the backend and token; throws a ConfigError with the remedy if one is missing. */
export function chooseCredentials({ config, configPath, stateDir }: Settings): Credentials & { identity: Identity | undefined } {
  const identity = readIdentity(stateDir)
  const url = config.url ?? identity?.url
  const token = config.token ?? identity?.token
  const faults: string[] = []
  if (url === undefined)
    faults.push(`the address of the backend is missing: set "url" in ${configPath}, or run "vedette-agent register --url …"`)
  if (token === undefined) {
    faults.push(`this host is not registered: run "vedette-agent register --url … --api-key …", or set "token" in ${configPath}`)
  }
  const refusal = url === undefined ? undefined : refusalOfUrl(url, config.allowHttp ?? false)
  if (refusal !== undefined) faults.push(refusal)
  if (url === undefined || token === undefined || faults.length > 0) throw new ConfigError(faults)
  return { url, token, identity }
}
