import { runProgram } from './run-program.ts'

/** What an update needs of the service manager. */
export interface Service {
  restart(): void
  /** How often the manager restarted the agent after it died; only differences count. */
  restarts(): number
}

const UNIT = 'vedette-agent.service'
const LABEL = 'system/vedette-agent'

/** Undefined without a service manager that can restart the agent. */
export function detectService(platform: NodeJS.Platform): Service | undefined {
  if (platform === 'darwin') {
    return {
      restart: () => void runOrThrow('launchctl', ['kickstart', '-k', LABEL]),
      restarts: () => Number(/^\s*runs = (\d+)$/m.exec(runOrThrow('launchctl', ['print', LABEL]))?.[1] ?? 0),
    }
  }
  if (runProgram('systemctl', ['cat', UNIT], { stdio: 'ignore' }).status !== 0) return undefined
  return {
    restart: () => void runOrThrow('systemctl', ['restart', UNIT]),
    restarts: () => Number(runOrThrow('systemctl', ['show', '--property=NRestarts', '--value', UNIT])),
  }
}

function runOrThrow(program: string, args: string[]): string {
  const { status, stdout, stderr, error } = runProgram(program, args, { timeout: 60_000 })
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? (stderr.trim() || String(status))}`)
  return stdout
}
