import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { HOME_FOLDER } from '../../platform/home-folder.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Log } from '../../platform/logging/log.ts'

/** The built form, unless the backend runs from its sources too. */
const AGENT_MAIN = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? 'agent/src/main.ts' : 'agent/dist/vedette-agent.cjs', HOME_FOLDER),
)
/** Those of agent/src/process/node-flags.ts, where the reasons are. */
const NODE_FLAGS = [
  '--min-semi-space-size=2',
  '--max-semi-space-size=2',
  '--v8-pool-size=0',
  '--single-threaded',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--expose-gc',
  '--no-memory-reducer',
  '--no-flush-bytecode',
]
/** What the agent inherits: none of the backend's settings and secrets. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TZ', 'NODE_EXTRA_CA_CERTS']

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** After this time the back-off of restarts begins from the start. */
const SOUND_MS = 60_000
/** The agent stops within 3 s; later it is killed. */
const STOP_PATIENCE_MS = 3_500

export interface AgentProcess {
  /** Undefined while none runs. */
  pid(): number | undefined
  /** Ends the process; the next one reads config and identity again. */
  restart(): void
  stop(): Promise<void>
}

function spawnAgent(args: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const env = Object.fromEntries(
    PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
  // The agent ends when the channel closes, even after a crash of the backend. Its own process group does not receive Ctrl-C.
  return spawn(process.execPath, [...NODE_FLAGS, AGENT_MAIN, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  })
}

/** Runs one command of the agent. Throws an error with its output when it fails. */
export async function runAgentCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawnAgent(args, environment)
  const said: string[] = []
  child.stdout?.on('data', (chunk: Buffer) => said.push(String(chunk)))
  child.stderr?.on('data', (chunk: Buffer) => said.push(String(chunk)))
  const code = await exitOf(child)
  if (code !== 0) throw new Error(`vedette-agent ${args[0]} failed: ${said.join('').trim() || `exit code ${code}`}`)
}

/** Restarts the agent when it ends, with growing delays while it keeps ending. */
export function superviseAgent(clock: Clock, log: Log, args: readonly string[], environment: NodeJS.ProcessEnv): AgentProcess {
  const stopping = new AbortController()
  let child: ChildProcess | undefined
  const running = (async () => {
    for (let pause = FIRST_PAUSE_MS; !stopping.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const startedAt = clock.now()
      child = spawnAgent(args, environment)
      forwardLines(child, log)
      const code = await exitOf(child)
      if (stopping.signal.aborted) return
      if (clock.now() - startedAt > SOUND_MS) pause = FIRST_PAUSE_MS
      log.warn({ code, again_in_ms: pause }, 'the local agent ended and will be started again')
      await clock.sleep(pause, stopping.signal)
    }
  })()
  return {
    pid: () => child?.pid,
    restart: () => void child?.kill('SIGTERM'),
    stop: async () => {
      stopping.abort()
      child?.kill('SIGTERM')
      const late = new AbortController()
      void clock.sleep(STOP_PATIENCE_MS, late.signal).then(() => late.signal.aborted || child?.kill('SIGKILL'))
      await running
      late.abort()
    },
  }
}

function exitOf(child: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(code ?? signal))
  })
}

/** Writes the agent's output to the log, line by line. */
function forwardLines(child: ChildProcess, log: Log): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.on('data', (chunk: Buffer) => {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) log.debug({ line }, 'local agent')
    })
  }
}
