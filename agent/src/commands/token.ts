import { readFileSync } from 'node:fs'
import { ConfigError, setInConfig } from '../config/config.ts'
import { readIdentity, writeIdentity } from '../process/identity.ts'
import { messageOf } from '../process/log.ts'
import type { Settings } from '../config/settings.ts'

/** Reads the new token from a file, or from standard input for `-`. Never from the command line, which every user can see. */
export function readToken(file: string): string {
  let token: string
  try {
    token = readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  } catch (error) {
    throw new ConfigError([`cannot read the token: ${messageOf(error)}`])
  }
  if (!/^[\x21-\x7e]{1,256}$/.test(token)) throw new ConfigError(['the input is not a valid token'])
  return token
}

/** Replaces the stored token and returns where it is stored; a running agent whose token was refused finds it within a minute. */
export function setToken({ config, configPath, stateDir }: Settings, token: string): string {
  const identity = readIdentity(stateDir)
  if (identity && config.token === undefined) {
    writeIdentity(stateDir, { ...identity, token })
    return 'the identity of this host'
  }
  setInConfig(configPath, 'token', token)
  return configPath
}
