import { runProgram } from './programs.ts'

/** The service manager, as far as an update needs it. */
export interface Service {
  restart(): void
  /** How often the manager has started the agent by itself, because it died; counts from anywhere. */
  restarts(): number
}

const UNIT = 'vedette-agent.service'
const LABEL = 'system/vedette-agent'

/** Undefined where none is that could start the agent anew. */
export function findService(platform: NodeJS.Platform): Service | undefined {
  if (platform === 'darwin') {
    return {
      restart: () => void ask('launchctl', ['kickstart', '-k', LABEL]),
      restarts: () => Number(/^\s*runs = (\d+)$/m.exec(ask('launchctl', ['print', LABEL]))?.[1] ?? 0),
    }
  }
  if (runProgram('systemctl', ['cat', UNIT], { stdio: 'ignore' }).status !== 0) return undefined
  return {
    restart: () => void ask('systemctl', ['restart', UNIT]),
    restarts: () => Number(ask('systemctl', ['show', '--property=NRestarts', '--value', UNIT])),
  }
}

function ask(program: string, args: string[]): string {
  const { status, stdout, stderr, error } = runProgram(program, args, { timeout: 60_000 })
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? (stderr.trim() || String(status))}`)
  return stdout
}
