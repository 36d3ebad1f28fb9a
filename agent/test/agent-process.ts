import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareEnvironment, VEDETTE_AGENT } from '../../scripts/test-tools.ts'

/** A folder of its own for config and state of one agent. */
export class AgentHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'vedette-agent-'))
  readonly config = join(this.folder, 'agent.yaml')
  readonly state = join(this.folder, 'state')

  writeConfig(text: string): void {
    writeFileSync(this.config, text, { mode: 0o600 })
  }

  /** Starts a command of the agent as a process. Only what the test names is in its environment. */
  start(args: string[], environment: Record<string, string> = {}, stdio: 'pipe' | 'ipc' = 'pipe'): AgentProcess {
    const env = { ...bareEnvironment(), VEDETTE_CONFIG: this.config, VEDETTE_STATE_DIR: this.state, ...environment }
    const channels = stdio === 'ipc' ? (['ignore', 'pipe', 'pipe', 'ipc'] as const) : (['ignore', 'pipe', 'pipe'] as const)
    return new AgentProcess(spawn(process.execPath, [VEDETTE_AGENT, ...args], { env, stdio: [...channels] }))
  }
}

export class AgentProcess {
  readonly child: ChildProcess
  output = ''
  errors = ''
  readonly ended: Promise<number | null>

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.on('data', (text: Buffer) => {
      this.output += text.toString()
    })
    child.stderr?.on('data', (text: Buffer) => {
      this.errors += text.toString()
    })
    this.ended = this.#whenEnded()
  }

  /** The exit code, once all output is here too. ("close" would say both, but it never comes after a disconnect.) */
  async #whenEnded(): Promise<number | null> {
    const [exit] = await Promise.all([
      once(this.child, 'exit'),
      ...[this.child.stdout, this.child.stderr].map((stream) => stream && once(stream, 'end')),
    ])
    return exit[0] as number | null
  }

  /** Milliseconds from the signal to the end. */
  async terminate(): Promise<number> {
    const startMs = performance.now()
    this.child.kill('SIGTERM')
    await this.ended
    return performance.now() - startMs
  }
}
