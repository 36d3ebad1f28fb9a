import { join } from 'node:path'
import { readTextIfThere, writeAtomic } from './files.ts'

/** What the backend returned at registration. */
export interface Identity {
  serverId: string
  /** Secret. */
  token: string
  /** Of the backend. */
  url: string
}

function identityPath(stateDir: string): string {
  return join(stateDir, 'identity.json')
}

/** Undefined before registration; throws if the file is damaged. */
export function readIdentity(stateDir: string): Identity | undefined {
  const path = identityPath(stateDir)
  const text = readTextIfThere(path)
  if (text === undefined) return undefined
  const fields = parseObject(text)
  const { server_id: serverId, token, url } = fields ?? {}
  if (typeof serverId !== 'string' || typeof token !== 'string' || typeof url !== 'string') {
    throw new Error(`${path} is damaged: run "vedette-agent register" again`)
  }
  return { serverId, token, url }
}

/** Stores the identity readable by its owner only (0600). */
export function writeIdentity(stateDir: string, identity: Identity): void {
  const fields = { server_id: identity.serverId, token: identity.token, url: identity.url }
  writeAtomic(identityPath(stateDir), `${JSON.stringify(fields, null, 2)}\n`)
}

/** The object that a JSON text holds; undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
