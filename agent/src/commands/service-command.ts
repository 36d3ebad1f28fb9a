import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NODE_FLAGS } from '../process/node-flags.ts'
import { runProgram } from '../update/run-program.ts'
import { rootOf } from '../update/update.ts'
import { installService, planService, type ServiceHost, type ServiceProgram, uninstallService } from './service.ts'

/** `service install` and `service uninstall` of this program on this host; returns the output. */
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
    return uninstallService(host) ? 'service stopped and removed; config and state stay\n' : 'no such service is installed\n'
  const program = thisProgram()
  if (options['dry-run']) return planService(host, program).unit
  const { path, isStarted } = installService(host, program, options['no-start'] !== true)
  const result = isStarted ? 'started' : 'not started: register this host first (vedette-agent register), then run this again'
  return `${path} written, ${options['no-start'] ? 'not started' : result}\n`
}

/** How the service starts this program: by the link of install.sh, as an unpacked program, or from a clone. */
function thisProgram(): ServiceProgram {
  const { isSea } = process.getBuiltinModule('node:sea')
  const execPath = realpathSync(process.execPath)
  if (!isSea()) {
    const script = realpathSync(process.argv[1] ?? '')
    const archived = programOfArchive(script)
    if (archived !== undefined) return programIn(archived)
    const clone = join(dirname(script), '../..')
    return { command: [execPath, ...NODE_FLAGS, script], units: join(clone, 'installers/units'), docs: join(clone, 'docs') }
  }
  return programIn(execPath)
}

/** In the agent of a backend, which has Node next to it: what starts both. Undefined for a clone. */
function programOfArchive(script: string): string | undefined {
  const program = join(dirname(script), '../../bin/vedette-agent')
  return existsSync(join(dirname(script), 'node-flags.txt')) && existsSync(program) ? program : undefined
}

/** Named by the link of install.sh, where there is one. */
function programIn(path: string): ServiceProgram {
  const root = rootOf(path)
  const linked = root === undefined ? undefined : join(root, 'current/bin/vedette-agent')
  const command = [linked !== undefined && existsSync(linked) ? linked : path]
  const docs = join(dirname(command[0] ?? ''), '../share/vedette-agent')
  return { command, units: join(docs, 'units'), docs }
}
