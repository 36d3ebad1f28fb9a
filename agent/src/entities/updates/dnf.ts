import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { failed, type RunCommand } from './command.ts'
import type { PackageManager } from './manager.ts'

/** Of dnf 4 and dnf 5. */
const CACHES = ['/var/cache/dnf', '/var/cache/libdnf5']
const DATABASES = ['/var/lib/rpm/rpmdb.sqlite', '/usr/lib/sysimage/rpm/rpmdb.sqlite', '/var/lib/rpm/Packages']
const CONFIG = ['/etc/dnf/dnf.conf', '/etc/yum.repos.d', '/etc/dnf/plugins/versionlock.list', '/etc/dnf/versionlock.toml']

/** dnf 4 and dnf 5, with the metadata that the system has in its cache; security updates where a repository has notices of them. */
export const dnf: PackageManager = {
  name: 'dnf',
  isThere: (root) => existsSync(`${root}/usr/bin/dnf`) && CACHES.some((cache) => existsSync(root + cache)),
  lists: findMetadata,
  inputs: (root) => Promise.resolve([...DATABASES, ...CONFIG].map((path) => root + path)),
  count: async (run, root) => {
    const cache = CACHES.findLast((path) => existsSync(root + path)) as string
    const pending = await query(run, cache)
    const hasNotices = (await findMetadata(root)).some((path) => path.includes('updateinfo'))
    if (!hasNotices) return { pending, security: undefined }
    return { pending, security: pending.length === 0 ? 0 : (await query(run, cache, '--security')).length }
  },
}

/** The metadata of repositories, whose folders are named for the repository and a hash of its addresses. */
async function findMetadata(root: string): Promise<string[]> {
  const found: string[] = []
  for (const cache of CACHES)
    for (const folder of await readdir(root + cache).catch(() => []))
      if (/-[0-9a-f]{16}$/.test(folder)) {
        const path = `${root}${cache}/${folder}/repodata`
        found.push(...(await readdir(path).catch(() => [])).map((name) => `${path}/${name}`))
      }
  return found
}

/** Packages with an update, once each. The format has a line end because dnf 5 adds none. */
async function query(run: RunCommand, cache: string, ...filter: string[]): Promise<string[]> {
  const options = ['-q', '-C', `--setopt=cachedir=${cache}`]
  const result = await run('dnf', ...options, 'repoquery', '--upgrades', ...filter, '--qf', '%{name}.%{arch}\\n')
  if (result.code !== 0) throw failed('dnf', result)
  return parseNames(result.stdout)
}

export function parseNames(text: string): string[] {
  const names = text.split('\n').filter((line) => line !== '')
  const unknown = names.find((name) => !/^\S+\.\w+$/.test(name))
  if (unknown !== undefined) throw new Error(`dnf says what is not understood: ${unknown.slice(0, 200)}`)
  return [...new Set(names)]
}
