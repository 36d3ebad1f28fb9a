import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NODE_FLAGS } from '../node-flags.ts'
import { runProgram } from '../update/programs.ts'
import { rootOf } from '../update/update.ts'
import { installService, planService, type ServiceHost, type ServiceProgram, uninstallService } from './service.ts'

/** `service install` and `service uninstall` on this host, for this very program; what to say of it. */
export function changeService(verb: 'install' | 'uninstall', options: { 'dry-run'?: boolean; 'no-start'?: boolean }): string {
  const host: ServiceHost = {
    root: '/',
    platform: process.platform,
    isAdmin: process.getuid?.() === 0,
    run(program, args) {
      const { status, stdout, stderr, error } = runProgram(program, args, { timeout: 60_000 })
      return { status, output: error?.message ?? stdout + stderr }
    },
  }
  if (verb === 'uninstall')
    return uninstallService(host) ? 'stopped and removed; config and state stay\n' : 'there was no such service\n'
  const program = thisProgram()
  if (options['dry-run']) return planService(host, program).unit
  const { path, isStarted } = installService(host, program, options['no-start'] !== true)
  const next = isStarted ? 'started' : 'not started: register this host first (vedette-agent register), then call this again'
  return `${path} is written, ${options['no-start'] ? 'not started' : next}\n`
}

/** Of install.sh the link that an update swaps; of an archive its program; of a clone what runs now. */
function thisProgram(): ServiceProgram {
  const { isSea } = process.getBuiltinModule('node:sea')
  const execPath = realpathSync(process.execPath)
  if (!isSea()) {
    const script = realpathSync(process.argv[1] ?? '')
    const clone = join(dirname(script), '../..')
    return { words: [execPath, ...NODE_FLAGS, script], units: join(clone, 'installers/units'), docs: join(clone, 'docs') }
  }
  const root = rootOf(execPath)
  const linked = root === undefined ? undefined : join(root, 'current/bin/vedette-agent')
  const words = [linked !== undefined && existsSync(linked) ? linked : execPath]
  const docs = join(dirname(words[0] ?? ''), '../share/vedette-agent')
  return { words, units: join(docs, 'units'), docs }
}
