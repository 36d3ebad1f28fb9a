import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import { readTextIfThere, writeAtomic } from '../files.ts'
import { parseObject } from '../identity.ts'

/** `install.json` beside the versions: what the installation script wrote, and what became of updates since. Root's alone to write. */
export interface Notes {
  releasesUrl: string
  os: string
  arch: string
  /** Of the newest manifest that was accepted; an older one is refused. */
  sequence: number
  /** Versions that were tried and taken back. */
  blocked: string[]
  /** The version that is being tried; the one before is there to go back to. */
  trial?: { version: string; previous: string; beganAtMs: number }
}

const pathOf = (root: string) => join(root, 'install.json')

/** Throws a ConfigError where the agent was brought by something else than the installation script. */
export function readNotes(root: string): Notes {
  const fields = parseObject(readTextIfThere(pathOf(root)) ?? '') ?? {}
  const { releases_url, os, arch, sequence, blocked, trial } = fields
  if (typeof releases_url !== 'string' || typeof os !== 'string' || typeof arch !== 'string' || typeof sequence !== 'number') {
    const cure = 'let the package manager update it, or whatever brought it'
    throw new ConfigError([`this agent was not installed by install.sh (there is no ${pathOf(root)}): ${cure}`])
  }
  return {
    releasesUrl: releases_url,
    os,
    arch,
    sequence,
    blocked: Array.isArray(blocked) ? blocked.filter((version) => typeof version === 'string') : [],
    ...(typeof trial === 'object' && trial !== null && { trial: trial as NonNullable<Notes['trial']> }),
  }
}

export function writeNotes(root: string, { releasesUrl, ...rest }: Notes): void {
  writeAtomic(pathOf(root), `${JSON.stringify({ releases_url: releasesUrl, ...rest }, null, 2)}\n`)
  // The installation script of any user may look at it in a dry run; there is no secret in it.
  chmodSync(pathOf(root), 0o644)
}
