import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runProgram } from './run-program.ts'

// <root>/versions/<version>/bin/vedette-agent, and <root>/current, a link to the version that runs.

export const programOf = (root: string, version: string): string => join(root, 'versions', version, 'bin/vedette-agent')

export function currentVersion(root: string): string {
  return basename(readlinkSync(join(root, 'current')))
}

export function canUnpackXz(): boolean {
  return runProgram('xz', ['--version'], { stdio: 'ignore' }).status === 0
}

/** Unpacks an archive next to the other versions; the folder gets the version's name only when it is complete. */
export function unpack(root: string, archive: string, version: string): void {
  const folder = join(root, 'versions', version)
  const unfinished = `${folder}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o755 })
  const args = ['-xf', archive, '-C', unfinished, '--strip-components=1', '--no-same-owner']
  const { status, stderr, error } = runProgram('tar', args)
  if (status !== 0) throw new Error(`cannot unpack ${basename(archive)}: ${error?.message ?? stderr.trim()}`)
  sync(join(unfinished, 'bin/vedette-agent'))
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
  sync(join(root, 'versions'))
}

/** Switches the link atomically: a start of the agent meanwhile gets one version or the other. */
export function activate(root: string, version: string): void {
  const link = join(root, 'current.new')
  rmSync(link, { force: true })
  symlinkSync(join('versions', version), link)
  renameSync(link, join(root, 'current'))
  sync(root)
}

/** Removes all versions but these. */
export function prune(root: string, keep: readonly string[]): void {
  for (const name of readdirSync(join(root, 'versions')))
    if (!keep.includes(name)) rmSync(join(root, 'versions', name), { recursive: true, force: true })
}

function sync(path: string): void {
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
