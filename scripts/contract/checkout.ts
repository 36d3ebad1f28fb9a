import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy of the checkout with the same dependencies, which may be changed freely. */
export function copyCheckout(root: string): { root: string; remove(): void } {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'vedette-planted-')))
  for (const file of filesOf(root)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    copyFileSync(join(root, file), join(copy, file))
  }
  // Links stay relative, so that workspace packages resolve to the copy; the pnpm store is shared.
  for (const folder of globSync('*/node_modules', { cwd: root })) {
    cpSync(join(root, folder), join(copy, folder), { recursive: true, verbatimSymlinks: true })
  }
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const [from, to] = [join(root, 'node_modules', name), join(copy, 'node_modules', name)]
    mkdirSync(dirname(to), { recursive: true })
    if (name === '.pnpm') symlinkSync(from, to)
    else cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  }
  return { root: copy, remove: () => rmSync(copy, { recursive: true, force: true }) }
}

/** All files of the repository, including uncommitted ones. */
function filesOf(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
}
