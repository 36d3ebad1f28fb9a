import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/config.ts'
import { readTextIfThere, writeAtomic } from '../process/files.ts'
import { parseObject } from '../process/identity.ts'

/** `install.json` next to the versions: what install.sh wrote, and the state of updates. Only root can write it. */
export interface InstallRecord {
  releasesUrl: string
  os: string
  arch: string
  /** Of the newest accepted manifest; an older one is rejected. */
  sequence: number
  /** Versions that were tried and rolled back. */
  blocked: string[]
  /** The version that is being tried, and the one for a rollback. */
  trial?: { version: string; previous: string; beganAtMs: number }
}

const pathOf = (root: string) => join(root, 'install.json')

/** Throws a ConfigError if install.sh did not install the agent. */
export function readInstallRecord(root: string): InstallRecord {
  const fields = parseObject(readTextIfThere(pathOf(root)) ?? '') ?? {}
  const { releases_url, os, arch, sequence, blocked, trial } = fields
  if (typeof releases_url !== 'string' || typeof os !== 'string' || typeof arch !== 'string' || typeof sequence !== 'number') {
    const remedy = 'update it the way it was installed (for example with the package manager)'
    throw new ConfigError([`this agent was not installed by install.sh (there is no ${pathOf(root)}): ${remedy}`])
  }
  return {
    releasesUrl: releases_url,
    os,
    arch,
    sequence,
    blocked: Array.isArray(blocked) ? blocked.filter((version) => typeof version === 'string') : [],
    ...(typeof trial === 'object' && trial !== null && { trial: trial as NonNullable<InstallRecord['trial']> }),
  }
}

export function writeInstallRecord(root: string, { releasesUrl, ...rest }: InstallRecord): void {
  writeAtomic(pathOf(root), `${JSON.stringify({ releases_url: releasesUrl, ...rest }, null, 2)}\n`)
  // Any user may run install.sh --dry-run, which reads it; it contains no secret.
  chmodSync(pathOf(root), 0o644)
}
