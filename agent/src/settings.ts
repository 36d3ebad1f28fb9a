import { readFileSync } from 'node:fs'
import { type AgentConfig, ConfigError, readConfig, refusalOfUrl } from './config.ts'
import type { AgentEnvironment } from './environment.ts'
import { type Identity, readIdentity } from './identity.ts'
import { messageOf } from './log.ts'
import type { ProxyVariables } from './proxy.ts'
import type { Credentials } from './pusher.ts'
import type { TransportOptions } from './transport.ts'

export interface Settings {
  configPath: string
  stateDir: string
  config: AgentConfig
  proxy?: ProxyVariables | undefined
}

/** Where things are and what the config says: the command line goes before the environment, that before the file. */
export async function readSettings(
  environment: AgentEnvironment,
  defaults: { config: string; state: string },
  configOption: string | undefined,
): Promise<Settings> {
  const configPath = configOption ?? environment.configPath ?? defaults.config
  const config = { ...(await readConfig(configPath)), ...environment.config }
  return { configPath, config, stateDir: environment.stateDir ?? config.stateDir ?? defaults.state, proxy: environment.proxy }
}

/** Whom to trust and which way to go; throws a ConfigError when the file of the authorities cannot be read. */
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
  throw new ConfigError([`ca_file: ${path} holds no certificate in PEM form`])
}

/** Where to push and as whom; throws a ConfigError with the cure when something is missing. */
export function chooseCredentials({ config, configPath, stateDir }: Settings): Credentials & { identity: Identity | undefined } {
  const identity = readIdentity(stateDir)
  const url = config.url ?? identity?.url
  const token = config.token ?? identity?.token
  const faults: string[] = []
  if (url === undefined) faults.push(`no backend is named: set "url" in ${configPath}, or run "vedette-agent register --url …"`)
  if (token === undefined) {
    faults.push(`this host is not registered: run "vedette-agent register --url … --api-key …", or set "token" in ${configPath}`)
  }
  const refusal = url === undefined ? undefined : refusalOfUrl(url, config.allowHttp ?? false)
  if (refusal !== undefined) faults.push(refusal)
  if (url === undefined || token === undefined || faults.length > 0) throw new ConfigError(faults)
  return { url, token, identity }
}
