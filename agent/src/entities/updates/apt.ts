import { existsSync } from 'node:fs'
import { failed } from './command.ts'
import type { PackageManager, PendingUpdates } from './manager.ts'

const LISTS = '/var/lib/apt/lists'

/**
 * apt 1.0 or newer. `apt list` costs a tenth of the CPU of `apt-get -s upgrade`, which solves all dependencies first, and lists the same
 * packages and those that an upgrade keeps back. Packages on hold are left out.
 */
export const apt: PackageManager = {
  name: 'apt',
  isThere: (root) => existsSync(`${root}/usr/bin/apt`) && existsSync(`${root}/var/lib/dpkg/status`),
  lists: (root) => Promise.resolve([LISTS, `${LISTS}/partial`].map((path) => root + path)),
  inputs: (root) =>
    Promise.resolve(
      ['', '/preferences', '/preferences.d', '/sources.list', '/sources.list.d', '/apt.conf.d']
        .map((name) => `${root}/etc/apt${name}`)
        .concat(`${root}/var/lib/dpkg/status`),
    ),
  count: async (run) => {
    const states = await run('dpkg-query', '-W', '-f', '${db:Status-Want} ${Package}:${Architecture}\\n')
    if (states.code !== 0) throw failed('dpkg-query', states)
    const updates = await run('apt', 'list', '--upgradable', '-o', 'Debug::NoLocking=1')
    if (updates.code !== 0) throw failed('apt', updates)
    return parseAptList(updates.stdout, parseHeld(states.stdout))
  },
}

function parseHeld(text: string): Set<string> {
  return new Set(text.split('\n').flatMap((line) => (line.startsWith('hold ') ? [line.slice('hold '.length)] : [])))
}

/** `bash/oldstable,oldstable-security 5.2.15-2+b13 amd64 [upgradable from: 5.2.15-2+b8]` */
const LINE = /^([^/\s]+)\/(\S*) \S+ (\S+) \[upgradable from: [^\]]+\]$/

/** Throws for a line that is no update: apt does not promise the form of its output. */
export function parseAptList(text: string, held: ReadonlySet<string>): PendingUpdates {
  const updates = text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('Listing...')) return []
    const [, name, archives = '', architecture] = LINE.exec(line) ?? []
    if (name === undefined) throw new Error(`apt says what is not understood: ${line.slice(0, 200)}`)
    // Before Debian 11 the archive of security updates was called `stable/updates`.
    return [{ key: `${name}:${architecture}`, isSecurity: /security|\/updates/i.test(archives) }]
  })
  const pending = updates.filter(({ key }) => !held.has(key))
  return { pending: pending.map(({ key }) => key), security: pending.filter(({ isSecurity }) => isSecurity).length }
}
