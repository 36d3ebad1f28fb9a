import { readFileSync } from 'node:fs'
import { ConfigError, setInConfig } from '../config.ts'
import { readIdentity, writeIdentity } from '../identity.ts'
import { messageOf } from '../log.ts'
import type { Settings } from '../settings.ts'

/** Where the new token comes from: a file, or `-` for standard input. Never the command line, which every user may list. */
export function readToken(file: string): string {
  let token: string
  try {
    token = readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  } catch (error) {
    throw new ConfigError([`cannot read the token: ${messageOf(error)}`])
  }
  if (!/^[\x21-\x7e]{1,256}$/.test(token)) throw new ConfigError(['what was given as the token is no token'])
  return token
}

/** Keeps a new token where the old one is, and answers where; a running agent that was refused finds it within a minute. */
export function setToken({ config, configPath, stateDir }: Settings, token: string): string {
  const identity = readIdentity(stateDir)
  if (identity && config.token === undefined) {
    writeIdentity(stateDir, { ...identity, token })
    return 'the identity of this host'
  }
  setInConfig(configPath, 'token', token)
  return configPath
}
