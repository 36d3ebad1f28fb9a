import { readFileSync } from 'node:fs'
import type { Clock } from '../process/clock.ts'
import { appendToConfig, ConfigError, normalizeUrl, refusalOfUrl } from '../config/config.ts'
import { ValueBounds } from '../spool/bounds.ts'
import { collectFacts } from '../facts/facts.ts'
import { messageOf } from '../process/log.ts'
import { writeIdentity } from '../process/identity.ts'
import { requestRegistration } from '../push/registration.ts'
import type { Settings } from '../config/settings.ts'
import type { Transport } from '../push/transport.ts'

export interface RegisterOptions {
  url: string | undefined
  apiKey: string | undefined
  /** The text of the file that was named. */
  keyFile: string | undefined
  allowHttp: boolean
}

/** Registers this host, stores its identity, and returns the server id. The API key is not stored. */
export async function register(
  options: RegisterOptions,
  environmentKey: string | undefined,
  settings: Settings,
  transport: Transport,
  clock: Clock,
): Promise<string> {
  const { config, configPath, stateDir } = settings
  const url = options.url === undefined ? config.url : normalizeUrl(options.url)
  if (url === undefined) throw new ConfigError(['register needs the address of the backend: --url https://…'])
  if (config.url !== undefined && config.url !== url) {
    throw new ConfigError([`${configPath} has another backend, ${config.url}: change "url" there, or omit --url`])
  }
  const allowHttp = options.allowHttp || (config.allowHttp ?? false)
  const refusal = refusalOfUrl(url, allowHttp)
  if (refusal !== undefined) throw new ConfigError([`${refusal} (--allow-http does this)`])
  const apiKey = chooseApiKey(options, environmentKey)
  const facts = new ValueBounds(() => undefined).facts(await collectFacts(clock, stateDir, config))
  const { server_id: serverId, token } = await requestRegistration(transport, url, apiKey, facts)
  writeIdentity(stateDir, { serverId, token, url })
  const missing = {
    ...(config.url === undefined && { url }),
    ...(options.allowHttp && config.allowHttp === undefined && { allow_http: true }),
  }
  if (Object.keys(missing).length > 0) appendToConfig(configPath, missing)
  return serverId
}

function chooseApiKey({ apiKey, keyFile }: RegisterOptions, environmentKey: string | undefined): string {
  if (apiKey !== undefined && keyFile !== undefined) throw new ConfigError(['use --api-key or --api-key-file, not both'])
  const key = (apiKey ?? keyFile ?? environmentKey)?.trim()
  if (!key) throw new ConfigError(['register needs an API key of scope "agent": --api-key-file, --api-key or VEDETTE_API_KEY'])
  if (!/^[\x21-\x7e]+$/.test(key)) throw new ConfigError(['the API key has invalid characters'])
  return key
}

/** Throws a ConfigError where the file cannot be read. */
export function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError([`cannot read the API key: ${messageOf(error)}`])
  }
}
