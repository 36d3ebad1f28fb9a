import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { type CommandResult, failed } from './command.ts'
import type { PackageManager } from './manager.ts'

const FOLDER = '/var/lib/pacman'

/**
 * `pacman -Qu` compares with the databases that the system synchronized. `checkupdates` would fetch its own over the network. Arch has
 * no lists of security updates.
 */
export const pacman: PackageManager = {
  name: 'pacman',
  isThere: (root) => existsSync(`${root}/usr/bin/pacman`) && existsSync(`${root}${FOLDER}/local`),
  lists: async (root) => {
    const files = await readdir(`${root}${FOLDER}/sync`).catch(() => [])
    return files.filter((name) => name.endsWith('.db')).map((name) => `${root}${FOLDER}/sync/${name}`)
  },
  inputs: (root) => Promise.resolve([`${root}${FOLDER}/local`, `${root}/etc/pacman.conf`]),
  count: async (run) => ({ pending: parsePacman(await run('pacman', '-Qu')), security: undefined }),
}

/** `bash 5.2.037-1 -> 5.3.003-1`; a package of `IgnorePkg` ends with `[ignored]`. Without any update it exits with 1 and says nothing. */
export function parsePacman(result: CommandResult): string[] {
  const lines = result.stdout.split('\n').filter((line) => line !== '')
  const isNothing = result.code === 1 && lines.length === 0 && result.stderr === ''
  if (result.code !== 0 && !isNothing) throw failed('pacman', result)
  return lines.flatMap((line) => {
    const [, name, isIgnored] = /^(\S+) \S+ -> \S+( \[ignored\])?$/.exec(line) ?? []
    if (name === undefined) throw new Error(`pacman says what is not understood: ${line.slice(0, 200)}`)
    return isIgnored === undefined ? [name] : []
  })
}
